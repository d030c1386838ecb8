import type { SpamVerdict } from '../inbound/port';
import { type LogFile, openIfExists, openLogFile, readChunks } from './log-file';

export type LoggedVerdict = SpamVerdict & { recipients: string[] };

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
  const rejections = createWindow(windowBytes);
  let position: ReadPosition | null = null;
  let reading: Promise<unknown> = Promise.resolve();

  async function readNewLines(): Promise<void> {
    const current = await openLogFile(path);
    try {
      if (!position || isReplaced(current, position)) position = await finishRotated(current, position);
      const from = Math.max(position.offset, current.size - windowBytes);
      position = { firstLine: current.firstLine, offset: await readLines(current, from, rejections.add) };
    } finally {
      await current.handle.close();
    }
  }

  /** Reads the rest of the log from before it was truncated. @returns the position where the new log starts */
  async function finishRotated(current: LogFile, last: ReadPosition | null): Promise<ReadPosition> {
    const before = await openIfExists(`${path}.1`);
    if (before) {
      try {
        const isSame = last !== null && before.firstLine === last.firstLine;
        const from = Math.max(isSame ? last.offset : 0, before.size + current.size - windowBytes);
        await readLines(before, from, rejections.add);
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
        if (!rejections.find(queueId)) await readNewLines();
      });
      reading = turn.catch(() => {});
      await turn;
      return rejections.find(queueId);
    },
  };
}

/** Identity of the log and the position read up to. The first line is null while there is none. */
type ReadPosition = { firstLine: string | null; offset: number };

function isReplaced(current: LogFile, { firstLine, offset }: ReadPosition): boolean {
  return current.size < offset || (firstLine !== null && current.firstLine !== firstLine);
}

/** @returns the offset after the last complete line */
async function readLines(file: LogFile, from: number, onLine: (line: string, bytes: number) => void): Promise<number> {
  let position = from;
  for await (const { lines, offset } of readChunks(file, from)) {
    for (const line of lines) onLine(line, line.length + 1);
    position = offset;
  }
  return position;
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
      const rejection = rejectionIn(line);
      if (!rejection) return;
      verdicts.delete(rejection.queueId);
      verdicts.set(rejection.queueId, { ...rejection.verdict, at: readBytes });
    },
  };
}

function rejectionIn(line: string): { queueId: string; verdict: LoggedVerdict } | null {
  const [, queueId, score] = REJECTION.exec(line) ?? [];
  if (!queueId || !score) return null;
  const [, recipients = ''] = /, rcpts: <([^>]*)>/.exec(line) ?? [];
  return {
    queueId,
    verdict: { action: 'reject', score: Number(score), recipients: recipients.split(',').filter(Boolean) },
  };
}

const REJECTION = /, qid: <([0-9A-Za-z]{6,20})>, .*\(default: \S+ \(reject\): \[(-?[\d.]+)\//;
