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
import { recordFiltered } from './filtered';
import { createArrivalTeller } from './inbound/arrivals';
import { recordLog } from './log';
import { settleUncertain } from './outbound/uncertain';

type Parts = { db: Database; redis: Redis; installation: Installation; copies: KeptCopies; clock: Clock };

const SETTLE_INTERVAL_MS = 10_000;
// Longer than an arrival waits for the others of its message.
const NEWS_MS = 4_000;
// For what waits longer, as for a part of the mail server that is away.
const TELL_INTERVAL_MS = 3_000;
// Lines are stamped to the second; one that is read within it happened before now.
const STAMP_MS = 999;

/**
 * Reads on what the mail server has told since the last turn, and records it. The log is read up to where it ended before
 * the filter's stream was read: whatever the filter told of a message is known by then, for it tells first. A turn in
 * which nothing is new asks Postgres nothing, but for once in a few seconds.
 */
export function createMailReader({ db, redis, installation, copies, clock }: Parts): () => Promise<void> {
  const { host, postfixLog } = installation;
  const [streamSource, logSource] = [`${host} stream`, `${host} log`];
  const tellArrivals = createArrivalTeller(db, copies);
  const places = new Map<string, Cursor>();
  let [newsAt, reportedAt, settledAt] = [NEVER, NEVER, NEVER];
  let isStreamAway = false;
  let goneFile = '';

  // Only whoever moves a cursor needs to know where it is, and is refused where that is wrong.
  async function placeOf(source: string): Promise<Cursor> {
    const place = places.get(source) ?? (await readCursor(db, source));
    places.set(source, place);
    return place;
  }

  async function move(moving: Promise<Cursor>): Promise<Cursor> {
    const cursor = await moving;
    places.set(cursor.source, cursor);
    newsAt = clock.now();
    return cursor;
  }

  // Told once, not at every turn.
  function tellStreamAway(error: unknown): null {
    if (!isStreamAway) log.warn({ error }, "the filter's stream cannot be read; trying on");
    isStreamAway = true;
    return null;
  }

  async function readLogUpToNow(opened: Awaited<ReturnType<typeof openLog>>): Promise<void> {
    let cursor = await placeOf(logSource);
    let isGap = false;
    const noteGap = async () => {
      if (!isGap || cursor.file === goneFile) return;
      await beginAnew(db, logSource);
      goneFile = cursor.file;
    };
    const onGap = () => {
      isGap = true;
    };
    for await (const { lines, position } of opened.read(positionOf(cursor), onGap)) {
      await noteGap();
      const now = clock.now();
      cursor = await move(recordLog(db, cursor, { entries: entriesOf(lines, now), position }));
    }
    await noteGap();
  }

  async function readFilter(): Promise<boolean> {
    let cursor = await placeOf(streamSource);
    for (;;) {
      const entries = await readStream(redis, cursor.position).catch(tellStreamAway);
      if (!entries) return false;
      isStreamAway = false;
      if (entries.length === 0) return true;
      const filtered = entries.map(({ meta, ...entry }) => ({
        ...entry,
        meta: FilterMeta.safeParse(meta).data ?? null,
      }));
      cursor = await move(recordFiltered(db, cursor, filtered));
      // Told again where it fails: what is recorded already is passed over.
      await forgetStream(redis, cursor.position).catch(() => {});
    }
  }

  return async () => {
    const opened = await openLog(postfixLog);
    let isStreamRead: boolean;
    try {
      isStreamRead = await readFilter();
      await readLogUpToNow(opened);
    } catch (error) {
      places.clear();
      throw error;
    } finally {
      await opened.close();
    }
    const now = clock.now();
    if (!hasPassed(NEWS_MS, newsAt, now) || hasPassed(TELL_INTERVAL_MS, reportedAt, now)) {
      while ((await tellArrivals({ now, isStreamRead })) > 0);
      reportedAt = now;
    }
    if (!hasPassed(SETTLE_INTERVAL_MS, settledAt, now)) return;
    settledAt = now;
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
    const latest = Math.min(now.getTime(), entry.at.getTime() + STAMP_MS);
    return [{ ...entry, at: new Date(Math.max(latest, entry.at.getTime())) }];
  });
}

/** What the log does not show may have been in the part that is gone. */
async function beginAnew(db: Database, source: string): Promise<void> {
  await db.mailCursor.update({ where: { source }, data: { completeSince: new Date() }, select: { source: true } });
  log.error('the log that was read last is gone: what is left of it is read again, and what it told may be missing');
}
