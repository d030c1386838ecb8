import type { Redis } from 'ioredis';
import type { Installation } from '@/mail/agent/installation';
import type { MessageCopies } from '@/mail/agent/message-copies';
import { readStream, trimStream } from '@/mail/log/filter-stream';
import { type LogPosition, type OpenLog, openLog } from '@/mail/log/log-files';
import { type LogEntry, parseLogLine } from '@/mail/log/log-line';
import type { Clock } from '@/server/clock';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { type Cursor, readCursor } from './cursor';
import { recordFilterEntries } from './filter-entries';
import { FilterMeta } from './filter-meta';
import { createDeliveryReporter } from './inbound/deliveries';
import { createUnloggedFinder } from './inbound/unlogged';
import { recordLog } from './log';
import { awaitsFilter } from './outbound/awaited';
import { settleUncertain } from './outbound/uncertain';

type Parts = { db: Database; redis: Redis; installation: Installation; copies: MessageCopies; clock: Clock };

const SETTLE_INTERVAL_MS = 10_000;
// Nothing can be submitted while Redis is down, so the filter's stream is readable again soon.
const MAX_WAIT_FOR_STREAM_MS = 30_000;
// Longer than a delivery waits for the other recipients of its message.
const RECENT_MS = 4_000;
// For deliveries that wait longer, for example for an unavailable part of the mail server.
const REPORT_INTERVAL_MS = 3_000;
// Log timestamps have a precision of one second; an entry cannot be later than now.
const TIMESTAMP_PRECISION_MS = 999;

/**
 * Reads and records new entries of the mail server's log and filter stream. The log is read up to where it ended before the
 * stream was read, since the filter writes first. While the stream is unavailable, but not for longer than 30 s, the log is
 * read up to the first message of a mailbox that needs the filter's entry. A run without news queries Postgres only once
 * every few seconds.
 */
export function createMailReader({ db, redis, installation, copies, clock }: Parts): () => Promise<void> {
  const { host, postfixLog } = installation;
  const [streamSource, logSource] = [`${host} stream`, `${host} log`];
  const reportDeliveries = createDeliveryReporter(db, copies);
  const unlogged = createUnloggedFinder(db, copies);
  const cursors = new Map<string, Cursor>();
  let [lastEntryAt, lastReportAt, lastSettledAt] = [NEVER, NEVER, NEVER];
  let unavailableSince: Date | null = null;
  let missingFile = '';

  // A cached cursor may be outdated; advancing it then fails.
  async function cursorOf(source: string): Promise<Cursor> {
    const cursor = cursors.get(source) ?? (await readCursor(db, source));
    cursors.set(source, cursor);
    return cursor;
  }

  async function advance(advancing: Promise<Cursor>): Promise<Cursor> {
    const cursor = await advancing;
    cursors.set(cursor.source, cursor);
    lastEntryAt = clock.now();
    return cursor;
  }

  // Logged once, not on every run.
  function warnStreamUnavailable(error: unknown): null {
    if (!unavailableSince) log.warn({ error }, "cannot read the spam filter's stream, retrying");
    unavailableSince ??= clock.now();
    return null;
  }

  async function readLogToEnd(opened: OpenLog): Promise<void> {
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
      const entries = entriesOf(lines, now);
      const waits = unavailableSince !== null && !hasPassed(MAX_WAIT_FOR_STREAM_MS, unavailableSince, now);
      if (waits && (await awaitsFilter(db, entries))) return;
      cursor = await advance(recordLog(db, cursor, { entries, position }));
      unlogged.note(entries);
    }
    await reportGap();
  }

  async function readFilter(): Promise<boolean> {
    let cursor = await cursorOf(streamSource);
    for (;;) {
      const entries = await readStream(redis, cursor.position).catch(warnStreamUnavailable);
      if (!entries) return false;
      unavailableSince = null;
      if (entries.length === 0) return true;
      const filtered = entries.map(({ meta, ...entry }) => ({
        ...entry,
        meta: FilterMeta.safeParse(meta).data ?? null,
      }));
      cursor = await advance(recordFilterEntries(db, cursor, filtered));
      // If this fails, a later call removes these entries too.
      await trimStream(redis, cursor.position).catch(() => {});
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
    if (isStreamRead) await unlogged.find(now);
  };
}

const NEVER = new Date(0);

/** True as well if the clock was set back. */
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

/** After a gap, a message missing from the log may have been in the missing part. */
async function resetCompleteSince(db: Database, source: string): Promise<void> {
  await db.mailCursor.update({ where: { source }, data: { completeSince: new Date() }, select: { source: true } });
  log.error(
    'the mail log that was read last is missing: reading the remaining log from its start, some entries may be lost',
  );
}
