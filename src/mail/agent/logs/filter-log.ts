import type { Verdict } from '../../inbound';
import { type LogFile, openIfThere, openLogFile, readChunks } from './log-file';

export type LoggedVerdict = Verdict & { recipients: string[] };

export type FilterLog = {
  /** The logged verdict on a message that the filter rejected; null if it isn't in the log, or no longer. */
  findVerdict: (queueId: string) => Promise<LoggedVerdict | null>;
};

// Older entries are not searched.
const WINDOW_BYTES = 32 * 1024 * 1024;

/**
 * Follows the filter's log on demand. Each part is read once; rejections in the last part of it are kept in memory.
 * logrotate copies the log to `….1` and truncates it.
 */
export function createFilterLog(path: string, windowBytes = WINDOW_BYTES): FilterLog {
  const refused = createWindow(windowBytes);
  let place: Place | null = null;
  let reading: Promise<unknown> = Promise.resolve();

  async function readOn(): Promise<void> {
    const current = await openLogFile(path);
    try {
      if (!place || isAnother(current, place)) place = await finish(current, place);
      const from = Math.max(place.offset, current.size - windowBytes);
      place = { firstLine: current.firstLine, offset: await readLines(current, from, refused.add) };
    } finally {
      await current.handle.close();
    }
  }

  /** Reads the rest of the log from before it was truncated. @returns the position where the new log starts */
  async function finish(current: LogFile, last: Place | null): Promise<Place> {
    const before = await openIfThere(`${path}.1`);
    if (before) {
      try {
        const isSame = last !== null && before.firstLine === last.firstLine;
        const from = Math.max(isSame ? last.offset : 0, before.size + current.size - windowBytes);
        await readLines(before, from, refused.add);
      } finally {
        await before.handle.close();
      }
    }
    return { firstLine: current.firstLine, offset: 0 };
  }

  return {
    async findVerdict(queueId) {
      // One reader at a time; later callers may find the log already read.
      const turn = reading.then(async () => {
        if (!refused.find(queueId)) await readOn();
      });
      reading = turn.catch(() => {});
      await turn;
      return refused.find(queueId);
    },
  };
}

/** Identity of the log and the position read up to. The first line is null while there is none. */
type Place = { firstLine: string | null; offset: number };

function isAnother(current: LogFile, { firstLine, offset }: Place): boolean {
  return current.size < offset || (firstLine !== null && current.firstLine !== firstLine);
}

/** @returns the offset after the last complete line */
async function readLines(file: LogFile, from: number, onLine: (line: string, bytes: number) => void): Promise<number> {
  let place = from;
  for await (const { lines, offset } of readChunks(file, from)) {
    for (const line of lines) onLine(line, line.length + 1);
    place = offset;
  }
  return place;
}

/** Verdicts in the last bytes of the log; the oldest are dropped first. */
function createWindow(windowBytes: number) {
  const verdicts = new Map<string, LoggedVerdict & { at: number }>();
  let readBytes = 0;
  return {
    find(queueId: string): LoggedVerdict | null {
      const { at, ...verdict } = verdicts.get(queueId) ?? { at: null };
      return at === null ? null : (verdict as LoggedVerdict);
    },
    add(line: string, bytes: number): void {
      readBytes += bytes;
      for (const [queueId, { at }] of verdicts) {
        if (readBytes - at <= windowBytes) break;
        verdicts.delete(queueId);
      }
      const refused = refusedIn(line);
      if (!refused) return;
      verdicts.delete(refused.queueId);
      verdicts.set(refused.queueId, { ...refused.verdict, at: readBytes });
    },
  };
}

function refusedIn(line: string): { queueId: string; verdict: LoggedVerdict } | null {
  const [, queueId, score] = REFUSED.exec(line) ?? [];
  if (!queueId || !score) return null;
  const [, recipients = ''] = /, rcpts: <([^>]*)>/.exec(line) ?? [];
  return {
    queueId,
    verdict: { action: 'reject', score: Number(score), recipients: recipients.split(',').filter(Boolean) },
  };
}

const REFUSED = /, qid: <([0-9A-Za-z]{6,20})>, .*\(default: \S+ \(reject\): \[(-?[\d.]+)\//;
