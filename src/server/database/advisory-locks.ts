import type { Tx } from './db';

/**
 * The numbers of Postgres's advisory locks. Each lock is for one purpose: two that shared a number would wait for each other.
 * SQL functions and scripts can't import them, so a test finds numbers there that are not listed here.
 */
export const ADVISORY_LOCKS = {
  firstAdmin: 7_203_001,
  /** With the hash of a domain's ID. */
  aliasesOfDomain: 7_203_002,
  sealing: 7_203_003,
  /** In SQL functions, with the hash of a domain's ID: its sends are counted. */
  sendsOfDomain: 7_203_004,
  /** In SQL functions: statistics are added up, or rebuilt. */
  statistics: 7_203_005,
  archiving: 7_203_006,
  /** In SQL functions: committed events are numbered. */
  sequencing: 7_203_007,
  settings: 7_203_008,
  /** With the hash of a domain's ID: its reports are stored. */
  reportsOfDomain: 7_203_009,
  /** With the hash of a domain's ID: its templates are counted. */
  templatesOfDomain: 7_203_010,
  /** With the hash of a scope, the ID of a domain or mailbox or `global`: its Sieve filters are counted and ordered. */
  sieveFiltersOfScope: 7_203_011,
  /** Also in SQL functions, with the hash of a queue ID: the rows of an inbound message. */
  inboundMessage: 7_203_012,
  backups: 7_203_019,
  /** With the number of a scratch database. */
  scratchDatabase: 7_203_020,
  /** In SQL functions: webhook deliveries are claimed. */
  claims: 7_203_021,
  /** Alias writes share it; what adds a domain waits for them. */
  aliases: 7_203_022,
  verifying: 7_203_023,
  /** An alert mute is added or replaced. */
  alertMutes: 7_203_024,
  /** In src/server/migrations: a database is brought to another version. */
  upgrades: 7_203_030,
} as const;

type Lock = keyof typeof ADVISORY_LOCKS;

/** Waits for a lock, which the transaction holds until it ends. */
export async function lock(tx: Tx, name: Lock): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS[name]}::bigint)`;
}

/** Waits for a lock of each key, in the order of their hashes, so that no two transactions wait for each other. */
export async function lockKeys(tx: Tx, name: Lock, keys: readonly string[]): Promise<void> {
  await tx.$executeRaw`
    SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS[name]}::int, hash)
      FROM (SELECT DISTINCT hashtext(key) AS hash FROM unnest(${keys}::text[]) AS key ORDER BY hash) AS hashes`;
}

/** Tells whether the transaction got a lock that no other one holds. */
export async function tryLock(tx: Tx, name: Lock): Promise<boolean> {
  const [lock] = await tx.$queryRaw<{ isFree: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCKS[name]}::bigint) AS "isFree"`;
  return lock?.isFree === true;
}
