import { setTimeout } from 'node:timers/promises';
import { type Database, isDatabaseAway, type Tx } from '@/server/database/db';
import { log } from '@/server/log';

/** How far a source has been read; `file` and `position` are empty before the first read. */
export type Cursor = { source: string; file: string; position: string };

/** Processes the entries together, and one after the other once that has failed. */
type Together<Entry> = (work: (entries: readonly Entry[]) => Promise<void>) => Promise<void>;

const TRANSACTION_TIMEOUT_MS = 60_000;
const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 200;

export async function readCursor(db: Database, source: string): Promise<Cursor> {
  const row = await db.mailCursor.findUnique({ where: { source } });
  return { source, file: row?.file ?? '', position: row?.position ?? '' };
}

/**
 * Records entries and advances the cursor in one transaction, so that each entry is recorded exactly once. An entry that
 * fails repeatedly while the database is available is logged and skipped, so that it does not block the rest.
 * @throws if the cursor is no longer at `from`, or while the database is unavailable
 */
export async function advanceCursor<Entry>(
  db: Database,
  from: Cursor,
  to: Omit<Cursor, 'source'>,
  entries: readonly Entry[],
  recordAll: (tx: Tx, entries: readonly Entry[], together: Together<Entry>) => Promise<void>,
): Promise<Cursor> {
  const failures = new Map<Entry, number>();
  let mayShare = true;
  for (;;) {
    const rest = entries.filter((entry) => (failures.get(entry) ?? 0) < MAX_ATTEMPTS);
    let current: Entry | undefined;
    let isShared = false;
    const together: Together<Entry> = async (work) => {
      isShared = mayShare;
      for (const entries of mayShare ? [rest] : rest.map((entry) => [entry])) {
        current = entries[0];
        await work(entries);
      }
      isShared = false;
      current = undefined;
    };
    try {
      return await db.$transaction(
        async (tx) => {
          const cursor = await moveCursor(tx, from, to);
          if (rest.length > 0) await recordAll(tx, rest, together);
          return cursor;
        },
        { timeout: TRANSACTION_TIMEOUT_MS },
      );
    } catch (error) {
      if (isShared && !isDatabaseAway(error)) {
        mayShare = false;
        continue;
      }
      if (current === undefined || isDatabaseAway(error)) throw error;
      const count = (failures.get(current) ?? 0) + 1;
      failures.set(current, count);
      const { source } = from;
      if (count === MAX_ATTEMPTS)
        log.error({ source, entry: describeEntry(current), error }, 'cannot record mail log entry, skipping it');
      else await setTimeout(RETRY_DELAY_MS);
    }
  }
}

// The first read makes the row.
async function moveCursor(tx: Tx, from: Cursor, to: Omit<Cursor, 'source'>): Promise<Cursor> {
  const { source } = from;
  const count = await tx.$executeRaw`/* prepared */
    INSERT INTO mail_cursor AS last (source, file, position)
    SELECT ${source}, ${to.file}, ${to.position}
     WHERE (${from.file} = '' AND ${from.position} = '') OR EXISTS (SELECT FROM mail_cursor WHERE source = ${source})
    ON CONFLICT (source) DO UPDATE SET file = EXCLUDED.file, position = EXCLUDED.position
     WHERE last.file = ${from.file} AND last.position = ${from.position}`;
  if (count !== 1) throw new Error(`another reader has advanced the cursor of ${source}`);
  return { source, ...to };
}

function describeEntry(entry: unknown): string {
  return JSON.stringify(entry, (key, value) => (key === 'raw' ? undefined : value)).slice(0, MAX_DESCRIPTION_LENGTH);
}

const MAX_DESCRIPTION_LENGTH = 1000;
