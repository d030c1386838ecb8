import { beforeEach, describe, expect, it } from 'vitest';
import { sealAuditEntries } from '@/modules/audit/seal';
import { appRouter } from '@/modules/router';
import { writeCountedAttempts } from '@/server/denied-attempts';
import { createContext } from '@/server/procedures/context';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeAdmin, unique } from '@/test/factories';
import { type Client, client, expectError, keyClient } from '@/test/rest';

const MINUTE = 60;

let clock: ReturnType<typeof manualClock>;

beforeEach(async () => {
  clock = manualClock('2026-11-21T09:00:00Z');
  await db.deniedAttempt.deleteMany();
});

/** Fails to sign in, again if the limit of sign-ins per second is reached or the account has to wait. */
async function fail(from: Client, email: string): Promise<void> {
  for (;;) {
    const answer = await from.call('POST', '/auth/login', { body: { email, password: 'not this one' }, clock });
    if (answer.status === 401) return;
    expectError(answer, 429, 'RATE_LIMIT_EXCEEDED');
    if (answer.error.message.includes('account')) clock.advance(Number(answer.headers.get('retry-after')));
  }
}

const entriesOf = (email: string | null) =>
  db.auditEntry.findMany({ where: { adminEmail: email, outcome: 'denied' }, orderBy: { id: 'asc' } });

const rowsSince = (count: number) => db.auditEntry.count().then((now) => now - count);

describe('failed sign-ins', () => {
  it('get one entry at once, and one for all others of the account and address after the window', async () => {
    const { email } = await makeAdmin();
    const guesser = client();
    for (let i = 0; i < 9; i++) await fail(guesser, i % 2 ? email : email.toUpperCase());
    expect(await entriesOf(email.toUpperCase())).toMatchObject([{ details: { code: 'INVALID_CREDENTIALS' } }]);
    const lastAt = clock.now().toISOString();
    clock.advance(13 * MINUTE);
    await writeCountedAttempts(db, clock.now());
    expect(await entriesOf(email)).toEqual([]);
    clock.advance(2 * MINUTE);
    await Promise.all([writeCountedAttempts(db, clock.now()), writeCountedAttempts(db, clock.now())]);
    const [summary, ...others] = await entriesOf(email);
    expect(others).toEqual([]);
    expect(summary).toMatchObject({
      action: 'session.create',
      resource: 'session',
      adminId: null,
      ipAddress: guesser.headers['x-postroom-client-ip'],
      createdAt: clock.now(),
      details: {
        code: 'INVALID_CREDENTIALS',
        further_attempts: 8,
        first_at: '2026-11-21T09:00:00.000Z',
        last_at: lastAt,
      },
    });
  });

  it('count separately for each address and window, and need no second entry for a single one', async () => {
    const email = `${unique()}@nowhere.example`;
    const [one, other] = [client(), client()];
    for (const from of [one, other]) await fail(from, email);
    clock.advance(15 * MINUTE);
    await writeCountedAttempts(db, clock.now());
    await fail(one, email);
    expect(await entriesOf(email)).toHaveLength(3);
  });

  it('add few entries, however many accounts one address tries', async () => {
    const before = await db.auditEntry.count();
    const guesser = client();
    for (let i = 0; i < 15; i++) await fail(guesser, `${unique()}@nowhere.example`);
    expect(await rowsSince(before)).toBe(11);
    clock.advance(15 * MINUTE);
    await writeCountedAttempts(db, clock.now());
    expect(await rowsSince(before)).toBe(12);
    const summary = await db.auditEntry.findFirst({ where: { createdAt: clock.now() }, orderBy: { id: 'desc' } });
    expect(summary).toMatchObject({ adminEmail: null, details: { accounts: 'several', further_attempts: 4 } });
  });

  it('stay sealed and append-only', async () => {
    const { email } = await makeAdmin();
    const guesser = client();
    for (let i = 0; i < 3; i++) await fail(guesser, email);
    clock.advance(15 * MINUTE);
    await writeCountedAttempts(db, clock.now());
    await sealAuditEntries(db, null);
    expect((await (await keyClient()).get('/audit/verify')).data).toMatchObject({ valid: true, unsealed: 0 });
  });
});

it('refused setup links are counted too', async () => {
  const { headers } = client();
  const before = await db.auditEntry.count();
  const guess = { token: 'guess', email: 'a@b.example', password: 'paper boats on the canal' };
  for (let denied = 0; denied < 4; ) {
    const caller = appRouter.createCaller(createContext(new Request('http://localhost:3000/api/trpc', { headers })));
    const error = await caller.auth.setup(guess).catch((thrown) => thrown);
    if (error.apiCode !== 'RATE_LIMIT_EXCEEDED') denied++;
  }
  expect(await rowsSince(before)).toBe(1);
});
