import { networkInterfaces } from 'node:os';
import { parseAddress } from '@/lib/mail/address';
import { KEYS_LOGIN } from '@/lib/mail/services';
import { uuidv7 } from '@/lib/uuid';
import { APP_LOGIN } from '@/mail/agent/installation';
import type { SignIn, SignInPolicy } from '@/mail/agent/sign-in-server';
import { openAlerts } from '@/modules/alerts/service';
import { insertAuditEntry } from '@/server/audit';
import type { Clock } from '@/server/clock';
import type { Database } from '@/server/database/db';
import { networkOf } from '@/server/http/client-address';

const WINDOW_SECONDS = 15 * 60;
/** Different wrong passwords from one client address, for one account and for all. */
const PER_ACCOUNT = 10;
const PER_ADDRESS = 50;
const MAX_COUNTED = 100_000;
/** Dovecot asks Postgres for this long before a sign-in fails. */
const UNKNOWN_SECONDS = 60;

type Counted = { endsAt: number; wrong: Set<string> };
type Count = { key: string; limit: number; subject: string };
type Parts = { db: Database; clock: Clock; recordSuccess: (signIn: SignIn) => Promise<void> };

/**
 * Blocks sign-ins to mailboxes after too many different wrong passwords: of one account from one address, and of all
 * accounts from one address, until 15 minutes after the first one. A mail program that repeats an old password counts once. Accounts that
 * signed in from there before go on: a webmail or an office has one address, from which strangers or colleagues may guess.
 * Each block makes an alert and an audit entry. The app is never blocked. An agent that starts again counts from zero.
 * Sign-ins that fail because Postgres was away when they began aren't counted.
 */
export function createSignInPolicy({ db, clock, recordSuccess }: Parts): SignInPolicy {
  const counted = new Map<string, Counted>();
  /** Accounts and the addresses they signed in from, the latest last. */
  const familiar = new Set<string>();
  let isUnknownUntil = 0;
  const onAway = () => {
    isUnknownUntil = clock.now().getTime() + UNKNOWN_SECONDS * 1000;
  };

  const current = (key: string): Counted | undefined => {
    const found = counted.get(key);
    return found && found.endsAt > clock.now().getTime() ? found : undefined;
  };

  // Entries end in the order in which they were added.
  function add(key: string): Counted {
    const now = clock.now().getTime();
    for (const [oldest, { endsAt }] of counted) {
      if (endsAt > now && counted.size < MAX_COUNTED) break;
      counted.delete(oldest);
    }
    const added = { endsAt: now + WINDOW_SECONDS * 1000, wrong: new Set<string>() };
    counted.delete(key);
    counted.set(key, added);
    return added;
  }

  return {
    isBlocked: (signIn) => {
      if (signIn.login === APP_LOGIN) return false;
      db.$queryRaw`SELECT 1`.catch(onAway);
      const isFamiliar = familiar.has(accountKey(signIn));
      return countsOf(signIn).some(
        ({ key, limit, subject }) =>
          (current(key)?.wrong.size ?? 0) >= limit && !(isFamiliar && subject === signIn.address),
      );
    },

    async onWrongPassword(signIn) {
      // While Postgres is away, this query fails too.
      const mailbox = await findMailbox(db, signIn.login);
      if (signIn.login !== APP_LOGIN && clock.now().getTime() < isUnknownUntil) return;
      const password = `${signIn.login} ${signIn.passwordHash}`;
      for (const count of countsOf(signIn)) {
        const { wrong } = current(count.key) ?? add(count.key);
        if (wrong.size >= count.limit || wrong.has(password)) continue;
        wrong.add(password);
        if (wrong.size < count.limit) continue;
        await report({ db, clock }, signIn, count, mailbox).catch((error: unknown) => {
          wrong.delete(password);
          throw error;
        });
      }
    },

    async onSuccess(signIn) {
      const key = accountKey(signIn);
      counted.delete(key);
      familiar.delete(key);
      familiar.add(key);
      if (familiar.size > MAX_COUNTED) familiar.delete(familiar.values().next().value as string);
      await recordSuccess(signIn);
    },
  };
}

function countsOf(signIn: SignIn): Count[] {
  const { login, address } = signIn;
  const ofAccount = { key: accountKey(signIn), limit: PER_ACCOUNT, subject: login };
  // Everybody who uses a webmail on this host has the same address.
  const isHost = address === '' || ownAddresses().includes(address);
  return isHost ? [ofAccount] : [ofAccount, { key: networkOf(address), limit: PER_ADDRESS, subject: address }];
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}

function accountKey({ login, address }: SignIn): string {
  return `${login} ${networkOf(address)}`;
}

type Mailbox = { id: string; domainId: string } | null;

async function findMailbox(db: Database, login: string): Promise<Mailbox> {
  const { local = '', domain = '' } = parseAddress(login) ?? {};
  return db.mailbox.findFirst({
    where: { localPart: local, domain: { name: domain } },
    select: { id: true, domainId: true },
  });
}

/** Wrong passwords of an account that doesn't exist are reported for the client's address only. */
async function report(
  { db, clock }: { db: Database; clock: Clock },
  { login, address, protocol }: SignIn,
  { subject, limit }: Count,
  mailbox: Mailbox,
): Promise<void> {
  const account = subject === login ? mailbox : null;
  if (subject === login && !mailbox && login !== APP_LOGIN && login !== KEYS_LOGIN) return;
  const request = { id: uuidv7(), ip: address, userAgent: protocol.toUpperCase(), idempotencyKey: null, cookies: '' };
  const [domainId, mailboxId] = [account?.domainId ?? null, account?.id ?? null];
  await db.$transaction(async (tx) => {
    const alert = { kind: 'wrong_passwords', subject, domainId, mailboxId, count: limit, expected: limit } as const;
    await openAlerts(tx, [alert], clock.now());
    await insertAuditEntry(
      tx,
      { clock, request },
      {
        action: 'mailbox.sign_in',
        outcome: 'denied',
        actor: null,
        email: subject === login ? login : undefined,
        resource: account ? `mailbox:${account.id}` : 'mailbox',
        domainId,
        details: { code: 'TOO_MANY_WRONG_PASSWORDS', count: limit, window_seconds: WINDOW_SECONDS },
      },
    );
  });
}
