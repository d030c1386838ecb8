/** A service that Postfix needs to deliver to mailboxes. */
export type Dependency = 'dovecot' | 'postgres';

export type RecoveryParts = {
  /** Identifies the running instance of the service; null while it is down. */
  instanceOf: Record<Dependency, () => Promise<string | null>>;
  /** Makes Postfix forget that a lookup failed. */
  reloadPostfix: () => Promise<unknown>;
  /** Whether Dovecot can ask Postgres. */
  canDovecotAsk: () => Promise<boolean>;
  /** Makes Dovecot connect to Postgres sooner than it does by itself. */
  reconnectDovecot: () => Promise<unknown>;
  /** Retries the mail that waits for mailboxes, and reports. */
  retry: () => Promise<unknown>;
};

// A delivery that failed just before the recovery enters the queue a little later. One that asked Dovecot before may fail up to a
// minute later.
const RETRY_AFTER_SECONDS = [0, 1, 2, 3, 4, 10, 20, 30, 45, 70];

/**
 * Watches Dovecot and Postgres. After Postgres was down or restarted, and when the agent starts, Postfix, which avoids a failed
 * database for a minute, is reloaded, and Dovecot reconnects. After one of both was down, mail for mailboxes is retried at once
 * instead of after Postfix's backoff. Call it every second.
 */
export function createRecovery(parts: RecoveryParts): () => Promise<void> {
  const known = new Map<Dependency, string | null>();
  let [isReloadDue, isReconnectDue, isCheckDue, seconds] = [true, true, true, 0];

  async function hasRecovered(dependency: Dependency): Promise<boolean> {
    const instance = await parts.instanceOf[dependency]();
    const before = known.get(dependency);
    known.set(dependency, instance ?? null);
    return instance !== null && before !== undefined && before !== instance;
  }

  return async () => {
    const [dovecot, postgres] = [await hasRecovered('dovecot'), await hasRecovered('postgres')];
    if (postgres) isReloadDue = isReconnectDue = true;
    if (dovecot || postgres) [isCheckDue, seconds] = [true, 0];
    if (seconds > (RETRY_AFTER_SECONDS.at(-1) ?? 0) || [...known.values()].includes(null)) return;
    if (isReloadDue) await parts.reloadPostfix();
    isReloadDue = false;
    if (isReconnectDue) await parts.reconnectDovecot();
    isReconnectDue = false;
    if (isCheckDue && !(await parts.canDovecotAsk())) return;
    isCheckDue = false;
    if (RETRY_AFTER_SECONDS.includes(seconds)) await parts.retry();
    seconds += 1;
  };
}
