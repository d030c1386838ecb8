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
