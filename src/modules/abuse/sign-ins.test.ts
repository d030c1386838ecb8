import { networkInterfaces } from 'node:os';
import { PrismaPg } from '@prisma/adapter-pg';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SignIn } from '@/mail/agent/sign-in-server';
import { toDatabase } from '@/server/database/db';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, unique } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { createSignInPolicy } from './sign-ins';

const clock = manualClock('2026-11-21T10:00:00Z');
let domain: { id: string; name: string };
let mailbox: { id: string };
let login: string;
let policy: ReturnType<typeof createSignInPolicy>;

beforeEach(async () => {
  domain = await makeDomain();
  mailbox = await makeMailbox(domain.id, 'ann');
  login = `ann@${domain.name}`;
  policy = createSignInPolicy({ db, clock, recordSuccess: async () => {} });
});

const from = (address: string, over: Partial<SignIn> = {}): SignIn => ({
  login,
  address,
  passwordHash: 'right',
  protocol: 'imap',
  ...over,
});

async function guess(count: number, signIn: SignIn, name = 'guess') {
  for (let index = 0; index < count; index++)
    await policy.onWrongPassword({ ...signIn, passwordHash: `${name} ${index}` });
}

const alerts = () => db.alert.findMany({ where: { kind: 'wrong_passwords', subject: login } });
const entries = () => db.auditEntry.findMany({ where: { action: 'mailbox.sign_in', adminEmail: login } });

describe('a mailbox', () => {
  it('is blocked for an address after 10 different wrong passwords, until 15 minutes after the first', async () => {
    await guess(9, from('192.0.2.1'));
    expect(policy.isBlocked(from('192.0.2.1'))).toBe(false);
    clock.advance(60);
    await guess(1, from('192.0.2.1'), 'last');
    expect(policy.isBlocked(from('192.0.2.1'))).toBe(true);
    expect(policy.isBlocked(from('192.0.2.2'))).toBe(false);
    expect(policy.isBlocked(from('192.0.2.1', { login: `bo@${domain.name}` }))).toBe(false);
    clock.advance(14 * 60);
    expect(policy.isBlocked(from('192.0.2.1'))).toBe(false);
    await guess(9, from('192.0.2.1'));
    expect(policy.isBlocked(from('192.0.2.1'))).toBe(false);
  });

  it('makes one alert, and one audit entry per address and window', async () => {
    await guess(30, from('192.0.2.1'));
    await guess(30, from('2001:db8::1', { protocol: 'smtp' }));
    expect(await alerts()).toMatchObject([
      { severity: 'warning', mailboxId: mailbox.id, domainId: domain.id, count: 10 },
    ]);
    expect(await entries()).toMatchObject([
      { ipAddress: '192.0.2.1', userAgent: 'IMAP', outcome: 'denied', resource: `mailbox:${mailbox.id}` },
      { ipAddress: '2001:db8::1', userAgent: 'SMTP', details: { code: 'TOO_MANY_WRONG_PASSWORDS', count: 10 } },
    ]);
    const { data } = await (await keyClient()).get(`/abuse/alerts?domain_id=${domain.id}`);
    expect(data[0].message).toBe(
      `10 different wrong passwords for ${login} from one address within 15 minutes. Sign-ins from there are blocked for the rest of that time; the audit log has the address.`,
    );
  });

  it('is not blocked by one wrong password that is repeated, or after a successful sign-in', async () => {
    for (let count = 0; count < 100; count++) await policy.onWrongPassword(from('192.0.2.1', { passwordHash: 'old' }));
    await guess(8, from('192.0.2.1'));
    expect(policy.isBlocked(from('192.0.2.1'))).toBe(false);
    await policy.onSuccess(from('192.0.2.1'));
    await guess(9, from('192.0.2.1'), 'later');
    expect(policy.isBlocked(from('192.0.2.1'))).toBe(false);
  });

  it('is blocked for a whole IPv6 /64', async () => {
    await guess(10, from('2001:db8::1'));
    expect(policy.isBlocked(from('2001:db8::2'))).toBe(true);
    expect(policy.isBlocked(from('2001:db8:0:1::1'))).toBe(false);
  });
});

describe('an address', () => {
  const spray = async (address: string) => {
    for (let index = 0; index < 50; index++)
      await policy.onWrongPassword(from(address, { login: `${unique()}@${domain.name}`, passwordHash: 'spring' }));
  };

  it('is blocked for every account after 50 wrong passwords, with one alert', async () => {
    const address = `203.0.113.${Math.floor(Math.random() * 256)}`;
    await spray(address);
    expect(policy.isBlocked(from(address))).toBe(true);
    const found = await db.alert.findMany({ where: { kind: 'wrong_passwords', subject: address } });
    expect(found).toHaveLength(1);
    expect(await db.auditEntry.count({ where: { action: 'mailbox.sign_in', ipAddress: address } })).toBe(1);
  });

  it('of this host is never blocked for every account', async () => {
    const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
    for (const address of new Set(['', '127.0.0.1', ...own])) {
      await spray(address);
      expect(policy.isBlocked(from(address)), address).toBe(false);
    }
  });

  it('stays open for who signed in from there before, but not to guess the password of others', async () => {
    const webmail = '198.51.100.9';
    await policy.onSuccess(from(webmail));
    await spray(webmail);
    expect(policy.isBlocked(from(webmail))).toBe(false);
    expect(policy.isBlocked(from(webmail, { login: `bo@${domain.name}` }))).toBe(true);
    await guess(10, from(webmail));
    expect(policy.isBlocked(from(webmail))).toBe(true);
  });
});

it('the app is never blocked, and guesses of its password make an alert', async () => {
  const app = from(`198.51.100.${Math.floor(Math.random() * 256)}`, { login: 'postroom', protocol: 'smtp' });
  await guess(60, app);
  expect(policy.isBlocked(app)).toBe(false);
  expect(await db.alert.count({ where: { kind: 'wrong_passwords', subject: 'postroom' } })).toBe(1);
});

it('guesses of API keys are blocked, and make an alert', async () => {
  const keys = { login: 'apikey', protocol: 'smtp' };
  await guess(10, from('192.0.2.1', keys));
  expect(policy.isBlocked(from('192.0.2.1', keys))).toBe(true);
  expect(policy.isBlocked(from('192.0.2.2', keys))).toBe(false);
  expect(await db.alert.findMany({ where: { kind: 'wrong_passwords', subject: 'apikey' } })).toHaveLength(1);
});

it('nothing is counted while Postgres is away, nor of what began then', async () => {
  let isAway = true;
  const away = toDatabase(new PrismaPg({ connectionString: 'postgresql://x@127.0.0.1:1/x' }));
  const switched = new Proxy(db, { get: (_, name) => Reflect.get(isAway ? away : db, name) });
  policy = createSignInPolicy({ db: switched, clock, recordSuccess: async () => {} });
  expect(policy.isBlocked(from('192.0.2.1'))).toBe(false);
  await expect(guess(1, from('192.0.2.1'))).rejects.toThrow(/reach database/);
  isAway = false;
  await guess(60, from('192.0.2.1'));
  expect(policy.isBlocked(from('192.0.2.1'))).toBe(false);
  clock.advance(60);
  await guess(9, from('192.0.2.1'));
  expect(policy.isBlocked(from('192.0.2.1'))).toBe(false);
});
