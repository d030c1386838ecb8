import type { Socket } from 'node:net';
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter, SqlDriverAdapterFactory, SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import { type Finding, measured } from '@/lib/health/finding';
import type { Actor } from '../access/actor';
import { instanceName } from '../cluster/this-node';
import { createConnections } from '../database/connection';
import {
  type Database,
  database,
  isDatabaseAway,
  readDatabase,
  readPool,
  readPoolOptions,
  toDatabase,
} from '../database/db';
import { statementName } from '../database/prepared';
import { log } from '../log';
import { reportPool } from '../metrics/pools';
import { processWide } from '../process-wide';
import { env } from '../settings/env';
import { type WatchedReplica, watchReplica } from './watch';

type Caller = { session: { id: string } | null; key: { id: string } | null };

type Replica = {
  watched: WatchedReplica;
  database: Database;
  /** Sessions and keys whose last change could not be recorded. They read from the primary on this instance. */
  unrecorded: Set<string>;
};

/** As docs/growing.md says, and the health check. */
const MAX_LAG_MS = 10_000;
const CONNECT_TIMEOUT_MS = 2_000;
// A pool whose connections are all in use says nothing about the replica.
const POOL_IS_BUSY = /^timeout exceeded when trying to connect/;

const shared = processWide<Replica>('replica');

/**
 * Reads from the replica at DATABASE_READ_URL, if there is one, while it is at most this far behind.
 * @returns a function that ends it
 */
export async function followReplica({
  url = env().databaseReadUrl,
  maxLagMs = MAX_LAG_MS,
} = {}): Promise<() => Promise<void>> {
  if (!url) return async () => {};
  const clients = new Set<pg.ClientBase>();
  const watched = watchReplica({ primary: env().databaseUrl, replica: url, maxLagMs }, () =>
    clients.forEach(disconnect),
  );
  const pool = createConnections({
    ...readPoolOptions(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    onConnect: (client) => watched.admit(client),
  });
  reportPool('replica', pool);
  pool.on('connect', (client) => clients.add(client));
  pool.on('remove', (client) => clients.delete(client));
  const onFailure = (error: unknown) => {
    log.debug({ error }, 'a read failed on the replica');
    const message = error instanceof Error ? error.message : 'It did not answer.';
    if (isDatabaseAway(error) && !POOL_IS_BUSY.test(message)) watched.suspect(message);
  };
  const replica = toDatabase(replicaAdapter(pool, { primary: readPool(), onFailure }));
  shared.current = { watched, database: replica, unrecorded: new Set() };
  await watched.checkNow();
  return async () => {
    shared.current = undefined;
    await watched.end();
    await replica.$disconnect();
    await pool.end();
  };
}

/**
 * The database that a query of this caller reads: the replica once it has the caller's last change, else the primary. Reads
 * of a client see at least what that client has changed, on whatever instance.
 */
export async function databaseFor(actor: Actor | null): Promise<Database> {
  const replica = shared.current;
  if (!replica || !actor || replica.watched.problem() !== null) return readDatabase();
  if (actor.writtenTo === null || replica.unrecorded.has(idOf(actor))) {
    await recordWrite(actor);
    return readDatabase();
  }
  return (await replica.watched.hasReplayed(actor.writtenTo)) ? replica.database : readDatabase();
}

/** Records that the caller may have changed something, before the caller gets the answer. Costs nothing without a replica. */
export async function recordWrite(actor: Caller): Promise<void> {
  const replica = shared.current;
  if (!replica) return;
  const id = idOf(actor);
  try {
    await recordOnce(id, () => record(actor));
    replica.unrecorded.delete(id);
  } catch (error) {
    replica.unrecorded.add(id);
    log.warn({ error }, 'recording a change failed: its client reads from the primary on this instance');
  }
}

/** How far the replica is behind, as this instance sees it. */
export function checkReplica(): Finding[] {
  const replica = shared.current;
  if (!replica) return [];
  const { watched } = replica;
  const reason = watched.problem();
  const lagMs = watched.lagMs();
  const seconds = Number.isFinite(lagMs) ? Math.round(lagMs / 100) / 10 : null;
  const finding = measured('read_replica', seconds ?? 0, instanceName());
  return [reason === null ? finding : { ...finding, status: 'degraded', value: seconds, message: reason }];
}

/** Changes that a client finishes at once share a statement, but for the first. */
const recordOnce = shareRuns();

async function record({ session, key }: Caller): Promise<void> {
  if (key) {
    await database().$executeRaw`
      UPDATE api_key SET written_to = pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint WHERE id = ${key.id}::uuid`;
  } else if (session) {
    await database().$executeRaw`
      UPDATE session SET written_to = pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint WHERE id = ${session.id}::uuid`;
  }
}

function idOf({ session, key }: Caller): string {
  return key?.id ?? session?.id ?? '';
}

/** Makes queries that run on a server that is gone fail now, and then run on the primary. */
function disconnect(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

type Fallback = { primary: pg.Pool; onFailure: (error: unknown) => void };

/**
 * Connects Prisma to a replica. A query that fails there runs on the primary instead, whatever the reason: the replica is
 * away, canceled the query to replay a change, or does not have the latest tables yet.
 */
function replicaAdapter(pool: pg.Pool, { primary, onFailure }: Fallback): SqlDriverAdapterFactory {
  const source = new PrismaPg(primary, { statementNameGenerator: statementName });
  const replica = new PrismaPg(pool, {
    onPoolError: onFailure,
    onConnectionError: onFailure,
    statementNameGenerator: statementName,
  });
  return {
    provider: replica.provider,
    adapterName: replica.adapterName,
    async connect() {
      const [first, second] = [await replica.connect(), await source.connect()];
      const orElse = async <Result>(onReplica: () => Promise<Result>, onPrimary: () => Promise<Result>) => {
        try {
          return await onReplica();
        } catch (error) {
          if (isFinal(error)) throw error;
          onFailure(error);
          return onPrimary();
        }
      };
      return {
        provider: first.provider,
        adapterName: first.adapterName,
        queryRaw: (query: SqlQuery): Promise<SqlResultSet> =>
          orElse(
            () => first.queryRaw(query),
            () => second.queryRaw(query),
          ),
        executeRaw: (query: SqlQuery) => second.executeRaw(query),
        // Queries of a transaction must see one snapshot, so it can't move to the primary midway.
        startTransaction: (isolation) => second.startTransaction(isolation),
        executeScript: (script) => second.executeScript(script),
        getConnectionInfo: () => first.getConnectionInfo(),
        async dispose() {
          await Promise.all([first.dispose(), second.dispose()]);
        },
      } satisfies SqlDriverAdapter;
    },
  };
}

/** A query that is too slow for the replica would be too slow for the primary, and one that writes is a mistake. */
function isFinal(error: unknown): boolean {
  const { cause } = error as { cause?: { originalCode?: unknown } };
  return cause?.originalCode === '57014' || cause?.originalCode === '25006';
}

type Running = { current: Promise<void>; next: Promise<void> | null };

/**
 * Runs one piece of work at a time for each id. Calls that come while it runs share one more run, which begins after all of
 * them.
 */
export function shareRuns(): (id: string, work: () => Promise<void>) => Promise<void> {
  const running = new Map<string, Running>();

  function start(id: string, work: () => Promise<void>): Promise<void> {
    const run: Running = { current: Promise.resolve(), next: null };
    run.current = work().finally(() => {
      if (run.next === null) running.delete(id);
    });
    running.set(id, run);
    return run.current;
  }

  return (id, work) => {
    const run = running.get(id);
    if (!run) return start(id, work);
    run.next ??= run.current.then(
      () => start(id, work),
      () => start(id, work),
    );
    return run.next;
  };
}
