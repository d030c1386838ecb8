import type { Redis } from 'ioredis';
import type { Installation } from '@/mail/agent/installation';
import type { KeptCopies } from '@/mail/agent/kept-copies';
import { forgetStream, readStream } from '@/mail/agent/logs/filter-stream';
import { type LogPosition, openLog } from '@/mail/agent/logs/log-files';
import { type LogEntry, parseLogLine } from '@/mail/agent/logs/log-line';
import type { Clock } from '@/server/clock';
import type { Database } from '@/server/db';
import { log } from '@/server/log';
import { type Cursor, readCursor } from './cursor';
import { FilterMeta } from './filter-meta';
import { recordFilterEntries } from './filter-entries';
import { createDeliveryReporter } from './inbound/deliveries';
import { recordLog } from './log';
import { settleUncertain } from './outbound/uncertain';

type Parts = { db: Database; redis: Redis; installation: Installation; copies: KeptCopies; clock: Clock };

const SETTLE_INTERVAL_MS = 10_000;
// Longer than an arrival waits for the others of its message.
const RECENT_MS = 4_000;
// For what waits longer, as for a part of the mail server that is away.
const REPORT_INTERVAL_MS = 3_000;
// Lines are stamped to the second; one that is read within it happened before now.
const TIMESTAMP_PRECISION_MS = 999;

/**
 * Reads on what the mail server has told since the last turn, and records it. The log is read up to where it ended before
 * the filter's stream was read: whatever the filter told of a message is known by then, for it tells first. A turn in
 * which nothing is new asks Postgres nothing, but for once in a few seconds.
 */
export function createMailReader({ db, redis, installation, copies, clock }: Parts): () => Promise<void> {
  const { host, postfixLog } = installation;
  const [streamSource, logSource] = [`${host} stream`, `${host} log`];
  const reportDeliveries = createDeliveryReporter(db, copies);
  const cursors = new Map<string, Cursor>();
  let [lastEntryAt, lastReportAt, lastSettledAt] = [NEVER, NEVER, NEVER];
  let isStreamUnavailable = false;
  let missingFile = '';

  // Only whoever moves a cursor needs to know where it is, and is refused where that is wrong.
  async function cursorOf(source: string): Promise<Cursor> {
    const place = cursors.get(source) ?? (await readCursor(db, source));
    cursors.set(source, place);
    return place;
  }

  async function move(moving: Promise<Cursor>): Promise<Cursor> {
    const cursor = await moving;
    cursors.set(cursor.source, cursor);
    lastEntryAt = clock.now();
    return cursor;
  }

  // Told once, not at every turn.
  function warnStreamUnavailable(error: unknown): null {
    if (!isStreamUnavailable) log.warn({ error }, "the filter's stream cannot be read; trying on");
    isStreamUnavailable = true;
    return null;
  }

  async function readLogToEnd(opened: Awaited<ReturnType<typeof openLog>>): Promise<void> {
    let cursor = await cursorOf(logSource);
    let isGap = false;
    const reportGap = async () => {
      if (!isGap || cursor.file === missingFile) return;
      await resetCompleteSince(db, logSource);
      missingFile = cursor.file;
    };
    const onGap = () => {
      isGap = true;
    };
    for await (const { lines, position } of opened.read(positionOf(cursor), onGap)) {
      await reportGap();
      const now = clock.now();
      cursor = await move(recordLog(db, cursor, { entries: entriesOf(lines, now), position }));
    }
    await reportGap();
  }

  async function readFilter(): Promise<boolean> {
    let cursor = await cursorOf(streamSource);
    for (;;) {
      const entries = await readStream(redis, cursor.position).catch(warnStreamUnavailable);
      if (!entries) return false;
      isStreamUnavailable = false;
      if (entries.length === 0) return true;
      const filtered = entries.map(({ meta, ...entry }) => ({
        ...entry,
        meta: FilterMeta.safeParse(meta).data ?? null,
      }));
      cursor = await move(recordFilterEntries(db, cursor, filtered));
      // Told again where it fails: what is recorded already is passed over.
      await forgetStream(redis, cursor.position).catch(() => {});
    }
  }

  return async () => {
    const opened = await openLog(postfixLog);
    let isStreamRead: boolean;
    try {
      isStreamRead = await readFilter();
      await readLogToEnd(opened);
    } catch (error) {
      cursors.clear();
      throw error;
    } finally {
      await opened.close();
    }
    const now = clock.now();
    if (!hasPassed(RECENT_MS, lastEntryAt, now) || hasPassed(REPORT_INTERVAL_MS, lastReportAt, now)) {
      while ((await reportDeliveries({ now, isStreamRead })) > 0);
      lastReportAt = now;
    }
    if (!hasPassed(SETTLE_INTERVAL_MS, lastSettledAt, now)) return;
    lastSettledAt = now;
    await settleUncertain(db, logSource, now);
  };
}

const NEVER = new Date(0);

/** Also where the clock was set back. */
function hasPassed(ms: number, since: Date, now: Date): boolean {
  const passedMs = now.getTime() - since.getTime();
  return passedMs < 0 || passedMs >= ms;
}

function positionOf({ file, position }: Cursor): LogPosition | null {
  return file === '' ? null : { file, offset: Number(position) };
}

function entriesOf(lines: string[], now: Date): LogEntry[] {
  return lines.flatMap((line) => {
    const entry = parseLogLine(line, now);
    if (!entry) return [];
    const latest = Math.min(now.getTime(), entry.at.getTime() + TIMESTAMP_PRECISION_MS);
    return [{ ...entry, at: new Date(Math.max(latest, entry.at.getTime())) }];
  });
}

/** What the log does not show may have been in the part that is gone. */
async function resetCompleteSince(db: Database, source: string): Promise<void> {
  await db.mailCursor.update({ where: { source }, data: { completeSince: new Date() }, select: { source: true } });
  log.error('the log that was read last is gone: what is left of it is read again, and what it told may be missing');
}
