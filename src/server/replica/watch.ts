import pg from 'pg';
import { repeat } from '../background/repeat';
import { connectionTo } from '../database/connection';
import { log } from '../log';

const POLL_INTERVAL_MS = 1_000;
const TIMEOUT_MS = 2_000;

type Server = { isReplica: boolean; system: string; position: bigint };

export type WatchedReplica = ReturnType<typeof watchReplica>;

/**
 * Checks every second that a server is a replica of the primary, and how far it has replayed its changes. One that is further
 * behind than `maxLagMs` serves no reads.
 * @param onUnusable is called when it stops serving reads
 */
export function watchReplica(
  { maxLagMs, ...urls }: { primary: string; replica: string; maxLagMs: number },
  onUnusable: () => void,
) {
  const progress = createProgress();
  const [primary, replica] = [connect(urls.primary), connect(urls.replica)];
  let found: string | null = 'It has not been checked yet.';
  let isPrimarySilent = false;
  let wasUsable: boolean | null = null;
  const startedAt = performance.now();
  let asking: Promise<Server> | undefined;

  /** Why it serves no reads, null if it does. */
  const problem = (): string | null => {
    if (found !== null) return found;
    const lagMs = progress.lagMs(performance.now());
    if (lagMs <= maxLagMs) return null;
    if (!Number.isFinite(lagMs)) return 'It has not caught up with the primary yet.';
    const seconds = Math.round(lagMs / 1000);
    return isPrimarySilent
      ? `The primary has not answered for ${seconds} seconds, so it may be as far behind.`
      : `It is ${seconds} seconds behind the primary.`;
  };

  const report = () => {
    const reason = problem();
    const isUsable = reason === null;
    const isCatchingUp = wasUsable === null && found === null && performance.now() - startedAt < maxLagMs;
    if (isUsable === wasUsable || (!isUsable && isCatchingUp)) return;
    wasUsable = isUsable;
    const { host } = new URL(urls.replica);
    if (isUsable) return log.info({ host }, 'reading from the replica');
    log.warn({ host, reason }, 'not reading from the replica until it works: reads go to the primary');
    onUnusable();
  };

  const askReplica = () => {
    asking ??= ask(replica).finally(() => {
      asking = undefined;
    });
    return asking;
  };

  const suspect = (reason: string) => {
    found = reason;
    report();
  };

  const check = async () => {
    let server: Server;
    try {
      server = await askReplica();
    } catch (error) {
      return suspect(messageOf(error));
    }
    const at = performance.now();
    const source = await ask(primary).catch((error: unknown) => {
      log.debug({ error }, 'the primary did not say what it has written');
      return null;
    });
    isPrimarySilent = source === null;
    if (source === null) keepReading(server);
    else {
      found = refusalOf(server, source);
      if (found === null) progress.record({ replayed: server.position, written: source.position, at });
      else progress.reset();
    }
    report();
  };

  /** A primary that is slow would only get slower with the replica's reads. Its lag grows until they end by themselves. */
  const keepReading = (server: Server) => {
    if (!server.isReplica) found = PROMOTED;
    else if (found === null) progress.recordReplayed(server.position);
  };

  const task = repeat('checking the read replica', POLL_INTERVAL_MS, check);
  return {
    problem,
    /** Everything that was committed this long ago is on it. Infinite while that isn't known. */
    lagMs: () => progress.lagMs(performance.now()),
    /** Whether it has replayed everything up to a position. Asks it only if that isn't known yet. */
    async hasReplayed(position: bigint): Promise<boolean> {
      if (progress.hasReplayed(position)) return true;
      try {
        const { isReplica, position: replayed } = await askReplica();
        if (!isReplica) suspect(PROMOTED);
        else if (found === null) progress.recordReplayed(replayed);
      } catch (error) {
        suspect(messageOf(error));
      }
      return found === null && progress.hasReplayed(position);
    },
    /**
     * Checks a new connection for reads: since the last check, the server may have been promoted, or restarted from an
     * earlier state.
     */
    async admit(client: pg.ClientBase): Promise<void> {
      const { isReplica, position } = toServer((await client.query(CHECK_IN_TIME)).rows[0]);
      if (!isReplica) throw new Error(PROMOTED);
      if (progress.isBehind(position)) throw new Error('It has lost changes that it had replayed.');
    },
    /** Serves no reads until the next check. */
    suspect,
    checkNow: check,
    async end(): Promise<void> {
      await task.end();
      await Promise.all([primary.end(), replica.end()]);
    },
  };
}

const PROMOTED = 'It is not a replica: it accepts changes itself.';

function refusalOf(server: Server, source: Server): string | null {
  if (source.isReplica) return 'The database at DATABASE_URL is a replica itself.';
  if (server.system !== source.system) return 'It is not a replica of the database at DATABASE_URL.';
  if (!server.isReplica) return PROMOTED;
  // The primary was asked later, so a replica of it can't be ahead.
  if (server.position > source.position) return 'It has changes that the primary does not have.';
  return null;
}

const STATE = `
  SELECT pg_is_in_recovery() AS "isReplica", system_identifier::text AS system,
         pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END,
                         '0/0')::text AS position
    FROM pg_control_system()`;

// A server that hangs would hold the read that needs the connection.
const CHECK_IN_TIME: pg.QueryConfig & { query_timeout: number } = { text: STATE, query_timeout: TIMEOUT_MS };

async function ask(pool: pg.Pool): Promise<Server> {
  return toServer((await pool.query(STATE)).rows[0]);
}

function toServer({
  isReplica,
  system,
  position,
}: {
  isReplica: boolean;
  system: string;
  position: string | null;
}): Server {
  if (position === null) throw new Error('It does not report which changes it has replayed.');
  return { isReplica, system, position: BigInt(position) };
}

function connect(url: string): pg.Pool {
  const pool = new pg.Pool({
    ...connectionTo(url),
    max: 1,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  pool.on('error', () => {});
  return pool;
}

function messageOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || 'It did not answer.';
}

const MAX_KEPT = 120;

/**
 * How far a replica is behind, measured against what the primary had written at known times. It needs no clock but this
 * process's, and tells a replica that receives nothing from one that has nothing to receive.
 */
export function createProgress() {
  /** Positions that the primary had written, and when it was asked. The first is the newest one that the replica has replayed. */
  let written: { position: bigint; at: number }[] = [];
  let replayed = -1n;

  const recordReplayed = (position: bigint): void => {
    replayed = position;
    const newest = written.findLastIndex((known) => known.position <= replayed);
    if (newest > 0) written = written.slice(newest);
  };

  return {
    recordReplayed,
    /** `at` is before the primary was asked. */
    record(found: { replayed: bigint; written: bigint; at: number }): void {
      // After a failover, positions can be lower.
      if (written.some(({ position }) => position > found.written)) written = [];
      written.push({ position: found.written, at: found.at });
      if (written.length > MAX_KEPT) written.splice(1, 1);
      recordReplayed(found.replayed);
    },
    reset(): void {
      written = [];
      replayed = -1n;
    },
    hasReplayed: (position: bigint): boolean => position <= replayed,
    isBehind: (position: bigint): boolean => position < replayed,
    /** Everything that was committed this long ago is on the replica. Infinite while that isn't known. */
    lagMs(now: number): number {
      const [first] = written;
      return first && first.position <= replayed ? now - first.at : Number.POSITIVE_INFINITY;
    },
  };
}
