import { parseAddress } from '@/lib/mail/address';
import type { SignIn } from '@/mail/agent/sign-in-server';
import type { Clock } from '@/server/clock';
import type { Database } from '@/server/database/db';

const KEPT_MS = 30 * 24 * 3_600_000;
/** Mail programs sign in again and again. */
const RECORDED_EVERY_MS = 10 * 60_000;
const MAX_REMEMBERED = 100_000;

/** Returns a function that records where a mailbox was signed in to from. Other accounts, such as that of the app, have no mailbox. */
export function createSignInRecorder({ db, clock }: { db: Database; clock: Clock }): (signIn: SignIn) => Promise<void> {
  // The oldest first.
  const recorded = new Map<string, number>();
  return async ({ login, address, protocol }) => {
    const { local, domain } = parseAddress(login) ?? {};
    if (local === undefined || domain === undefined) return;
    const now = clock.now();
    const key = [login, address, protocol].join(' ');
    const last = recorded.get(key) ?? 0;
    if (Math.abs(now.getTime() - last) < RECORDED_EVERY_MS) return;
    recorded.delete(key);
    recorded.set(key, now.getTime());
    if (recorded.size > MAX_REMEMBERED) recorded.delete(recorded.keys().next().value as string);
    try {
      await db.$executeRaw`
        INSERT INTO mailbox_sign_in AS known (mailbox_id, client_address, protocol, first_at, last_at)
        SELECT m.id, ${address}, ${protocol}, ${now}, ${now} FROM mailbox m JOIN domain d ON d.id = m.domain_id
         WHERE d.name = ${domain} AND m.local_part = ${local}
        ON CONFLICT (mailbox_id, client_address, protocol) DO UPDATE SET last_at = greatest(known.last_at, excluded.last_at)`;
    } catch (error) {
      recorded.delete(key);
      throw error;
    }
  };
}

export async function deleteOldSignIns(db: Database, now: Date): Promise<void> {
  await db.mailboxSignIn.deleteMany({ where: { lastAt: { lt: new Date(now.getTime() - KEPT_MS) } } });
}
