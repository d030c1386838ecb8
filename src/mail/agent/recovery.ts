import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installation } from './installation';

/** What Postfix needs to deliver to mailboxes. */
export type Dependency = 'dovecot' | 'postgres';

export type RecoveryParts = {
  /** Identifies the running instance of the service; null while it is down. */
  instanceOf: Record<Dependency, () => Promise<string | null>>;
  /** Makes Postfix forget that a lookup failed. */
  reload: () => Promise<unknown>;
  /** Retries the mail that waits for mailboxes. */
  retry: () => Promise<unknown>;
};

// A delivery that failed just before the recovery enters the queue a little later.
const RETRIES = 5;

/**
 * Watches Dovecot and Postgres. After one of them was down or restarted, mail for mailboxes is retried at once instead of
 * after Postfix's backoff, and Postfix, which avoids a failed database for a minute, is reloaded. Call it every second.
 */
export function createRecovery({ instanceOf, reload, retry }: RecoveryParts): () => Promise<void> {
  const known = new Map<Dependency, string | null>();
  let [isReloadDue, retriesDue] = [false, 0];

  async function hasRecovered(dependency: Dependency): Promise<boolean> {
    const instance = await instanceOf[dependency]();
    const before = known.get(dependency);
    known.set(dependency, instance ?? null);
    return instance !== null && before !== undefined && before !== instance;
  }

  return async () => {
    const [dovecot, postgres] = [await hasRecovered('dovecot'), await hasRecovered('postgres')];
    if (postgres) isReloadDue = true;
    if (dovecot || postgres) retriesDue = RETRIES;
    if (retriesDue === 0 || [...known.values()].includes(null)) return;
    if (isReloadDue) await reload();
    isReloadDue = false;
    await retry();
    retriesDue -= 1;
  };
}

/** The process and the socket of Dovecot's LMTP. It isn't connected to, because Dovecot logs every connection. */
export async function dovecotInstance({ data }: Pick<Installation, 'data'>): Promise<string | null> {
  try {
    const pid = Number(await readFile(join(data, 'run/dovecot/master.pid'), 'utf8'));
    process.kill(pid, 0);
    const { ino } = await stat(join(data, 'run/dovecot/lmtp'));
    return `${pid} ${ino}`;
  } catch {
    return null;
  }
}
