import { readFile } from 'node:fs/promises';

const LOOKS = 10;
/** Less than this is no progress: an idle process collects garbage, and prints how long it has been waiting. */
const MIN_BYTES = 262_144;
const MIN_PROCESSOR_TICKS = 1_000;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

type Work = { bytes: number; ticks: number };

/**
 * Calls back once a process has made no progress for a time: what it prints doesn't show that, but what it has read, written
 * and calculated does.
 * @returns a function that ends the watch
 */
export function onStall(pid: number | undefined, afterMs: number, callback: () => void): () => void {
  let known: Work = { bytes: 0, ticks: 0 };
  let progressAt = performance.now();
  let isOver = false;
  const timer = setInterval(async () => {
    const work = await workOf(pid);
    // A look can take longer than until the next one.
    if (!work || isOver) return;
    if (work.bytes - known.bytes >= MIN_BYTES || work.ticks - known.ticks >= MIN_PROCESSOR_TICKS) {
      known = work;
      progressAt = performance.now();
    } else if (performance.now() - progressAt >= afterMs) {
      end();
      callback();
    }
  }, afterMs / LOOKS);
  const end = () => {
    isOver = true;
    clearInterval(timer);
  };
  return end;
}

/** Null once the process has ended. Files and connections count alike; a tick is 10 ms. */
async function workOf(pid: number | undefined): Promise<Work | null> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => null);
  const [io, stat] = await Promise.all([read('io'), read('stat')]);
  if (io === null || stat === null) return null;
  const [, bytesRead, bytesWritten] = /rchar: (\d+)\nwchar: (\d+)/.exec(io) ?? [];
  // The name of the program, which can have any character, is in parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    bytes: Number(bytesRead) + Number(bytesWritten),
    ticks: Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]),
  };
}
