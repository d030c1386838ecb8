import type { Redis } from 'ioredis';
import { forgetStream, readStream } from '@/mail/agent/filter-stream';
import type { Installation } from '@/mail/agent/installation';
import type { KeptCopies } from '@/mail/agent/kept-copies';
import { type LogPosition, openLog } from '@/mail/agent/log-files';
import { type LogEntry, parseLogLine } from '@/mail/agent/log-line';
import type { Database } from '@/server/db';
import { log } from '@/server/log';
import { createArrivalTeller } from './arrivals';
import { type Cursor, readCursor } from './cursor';
import { FilterMeta, recordFiltered } from './filtered';
import { recordLog } from './log';
import { settleUncertain } from './uncertain';

type Parts = { db: Database; redis: Redis; installation: Installation; copies: KeptCopies };

const SETTLE_INTERVAL_MS = 10_000;
// Lines are stamped to the second; one that is read within it happened before now.
const STAMP_MS = 999;

/**
 * Reads on what the mail server has told since the last turn, and records it. The log is read up to where it ended before
 * the filter's stream was read: whatever the filter told of a message is known by then, for it tells first.
 */
export function createMailReader({ db, redis, installation, copies }: Parts): () => Promise<void> {
  const { host, postfixLog } = installation;
  const [streamSource, logSource] = [`${host} stream`, `${host} log`];
  const tellArrivals = createArrivalTeller(db, copies);
  let settledAt = 0;
  let isStreamAway = false;

  // Told once, not at every turn.
  function tellStreamAway(error: unknown): null {
    if (!isStreamAway) log.warn({ error }, "the filter's stream cannot be read; trying on");
    isStreamAway = true;
    return null;
  }

  async function readLogUpToNow(opened: Awaited<ReturnType<typeof openLog>>): Promise<void> {
    let cursor = await readCursor(db, logSource);
    let isGap = false;
    const noteGap = async () => {
      if (isGap) await beginAnew(db, logSource);
      isGap = false;
    };
    const onGap = () => {
      isGap = true;
    };
    for await (const { lines, position } of opened.read(positionOf(cursor), onGap)) {
      await noteGap();
      const now = new Date();
      cursor = await recordLog(db, cursor, { entries: entriesOf(lines, now), position });
    }
    await noteGap();
  }

  async function readFilter(): Promise<boolean> {
    let cursor = await readCursor(db, streamSource);
    for (;;) {
      const entries = await readStream(redis, cursor.position).catch(tellStreamAway);
      if (!entries) return false;
      isStreamAway = false;
      if (entries.length === 0) return true;
      const filtered = entries.map(({ meta, ...entry }) => ({
        ...entry,
        meta: FilterMeta.safeParse(meta).data ?? null,
      }));
      cursor = await recordFiltered(db, cursor, filtered);
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
    } finally {
      await opened.close();
    }
    const now = new Date();
    while ((await tellArrivals({ now, isStreamRead })) > 0);
    if (now.getTime() - settledAt < SETTLE_INTERVAL_MS) return;
    settledAt = now.getTime();
    await settleUncertain(db, logSource, now);
  };
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
  await db.mailCursor.update({ where: { source }, data: { begunAt: new Date() }, select: { source: true } });
  log.error('the log that was read last is gone: what is left of it is read again, and what it told may be missing');
}
