import { setTimeout } from 'node:timers/promises';
import pg, { type ClientBase } from 'pg';
import { BackupError } from '../archive/format';
import { listed } from '../archive/tables';

type Options = {
  mode: 'ACCESS EXCLUSIVE' | 'SHARE ROW EXCLUSIVE';
  signal?: AbortSignal | undefined;
  waitMs?: number;
};

const WAIT_MS = 60_000;
const PAUSE_MS = 100;
/** Shorter than the second after which Postgres looks for a deadlock, and ends one of the two. */
const ATTEMPT = 'SET LOCAL lock_timeout = 200; SET LOCAL statement_timeout = 800';
const LOCKED = 'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 30000; RELEASE SAVEPOINT locking';
/** Long enough that Postgres cancels an autovacuum that is in the way, which it does after a second of waiting for a lock. */
const AUTOVACUUM = 'SET LOCAL lock_timeout = 3000; SET LOCAL statement_timeout = 3500';
const NOT_LOCKED = /^(55P03|57014|40P01)$/;

/**
 * Locks tables while others read and write them. It gives up what it has and tries again, so that nobody who holds one table
 * and needs the next gets an error because of it.
 * @throws BackupError that names what is in the way
 */
export async function lockTables(
  client: ClientBase,
  tables: readonly string[],
  { mode, signal, waitMs = WAIT_MS }: Options,
): Promise<void> {
  const startedAt = performance.now();
  const waitedFor = new Set<string>();
  for (;;) {
    await client.query(`SAVEPOINT locking; ${ATTEMPT}`);
    try {
      await client.query(`LOCK TABLE ${listed(inOrder(tables))} IN ${mode} MODE`);
      await client.query(LOCKED);
      return;
    } catch (error) {
      if (!isNotLocked(error)) throw error;
      await client.query('ROLLBACK TO SAVEPOINT locking; RELEASE SAVEPOINT locking');
      if (await cancelAutovacuum(client, { tables, mode, waitedFor })) continue;
      if (performance.now() - startedAt > waitMs) throw await inTheWay(client, tables, error);
      await setTimeout(PAUSE_MS * (1 + Math.random()), undefined, { signal });
    }
  }
}

/** Requests read these first: new ones wait here, and those that are under way end meanwhile. */
const FIRST = ['session', 'api_key', 'admin'];

function inOrder(tables: readonly string[]): string[] {
  return [...FIRST.filter((name) => tables.includes(name)), ...tables.filter((name) => !FIRST.includes(name))];
}

function isNotLocked(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && NOT_LOCKED.test(error.code ?? '');
}

/**
 * Postgres cancels an autovacuum for another process that waits for its table, unless it prevents wraparound. Waits for each
 * one once, with no other lock that someone could need meanwhile.
 * @returns whether there was one
 */
async function cancelAutovacuum(
  client: ClientBase,
  { tables, mode, waitedFor }: { tables: readonly string[]; mode: Options['mode']; waitedFor: Set<string> },
): Promise<boolean> {
  const keyOf = ({ pid, table }: Holder) => `${pid} ${table}`;
  const holders = (await findHolders(client, tables)).filter(
    (each) => each.isAutovacuum && !waitedFor.has(keyOf(each)),
  );
  for (const holder of holders) {
    waitedFor.add(keyOf(holder));
    await client.query(`SAVEPOINT locking; ${AUTOVACUUM}`);
    await client.query(`LOCK TABLE ${listed([holder.table])} IN ${mode} MODE`).catch((error: unknown) => {
      if (!isNotLocked(error)) throw error;
    });
    await client.query('ROLLBACK TO SAVEPOINT locking; RELEASE SAVEPOINT locking');
  }
  return holders.length > 0;
}

/** User and time are null if the present user may not see them. */
type Holder = { pid: number; user: string | null; table: string; seconds: number | null; isAutovacuum: boolean };

/** Returns who uses the tables, the longest first. */
async function findHolders(client: ClientBase, tables: readonly string[]): Promise<Holder[]> {
  // Who may not see what kind of process it is still sees that it has no user.
  const { rows } = await client.query<Holder>(
    `SELECT DISTINCT pid, usename::text AS user, relname::text AS table,
            extract(epoch FROM clock_timestamp() - xact_start)::int AS seconds,
            coalesce(backend_type = 'autovacuum worker', usesysid IS NULL) AS "isAutovacuum"
       FROM pg_locks JOIN pg_stat_activity USING (pid) JOIN pg_class ON pg_class.oid = relation
      WHERE granted AND pid <> pg_backend_pid() AND relnamespace = 'public'::regnamespace AND relname = ANY ($1)
        AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      ORDER BY seconds DESC NULLS LAST`,
    [tables],
  );
  return rows;
}

async function inTheWay(client: ClientBase, tables: readonly string[], cause: Error): Promise<BackupError> {
  const [first] = await findHolders(client, tables);
  const [reason, way] = first ? explain(first) : ['other transactions use its tables all the time', END_IT];
  return new BackupError(`The database is in use: ${reason}. ${way} Nothing has changed.`, { cause });
}

const END_IT = 'End that, or stop Postroom and try again.';

function explain({ pid, user, table, seconds, isAutovacuum }: Holder): [reason: string, way: string] {
  const time = seconds === null ? '' : ` for ${seconds} seconds`;
  return isAutovacuum
    ? [
        `autovacuum (process ${pid}) has been working on ${table}${time}`,
        'Postgres does not end it by itself if it prevents wraparound. Try again when pg_stat_progress_vacuum no longer lists it.',
      ]
    : [`process ${pid} of the database user ${user} has used ${table} in one transaction${time}`, END_IT];
}
