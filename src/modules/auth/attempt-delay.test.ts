import { describe, expect, it } from 'vitest';
import { hashPassword } from '@/server/secrets/password';
import { manualClock } from '@/test/clock';
import { makeAdmin, makeSession, unique } from '@/test/factories';
import { client, expectError } from '@/test/rest';

const PASSWORD = 'paper boats on the canal';
const passwordHash = await hashPassword(PASSWORD);
const clock = manualClock('2026-11-21T09:00:00Z');

// Every attempt comes from its own address.
const login = (email: string, password: string) =>
  client().call('POST', '/auth/login', { body: { email, password }, clock });

/** Enters wrong passwords, waiting as required, until `count` of them were checked. */
async function failures(email: string, count: number): Promise<number[]> {
  const waits: number[] = [];
  for (let looked = 0; looked < count; ) {
    const answer = await login(email, 'not this one');
    if (answer.status === 401) {
      looked += 1;
      continue;
    }
    expectError(answer, 429, 'RATE_LIMIT_EXCEEDED');
    const seconds = Number(answer.headers.get('retry-after'));
    expect(answer.error.details.retry_after_seconds).toBe(seconds);
    waits.push(seconds);
    clock.advance(seconds);
  }
  return waits;
}

describe('failed sign-ins of one account', () => {
  it('delay the next attempt longer each time, up to 30 seconds, from any client address', async () => {
    const { email } = await makeAdmin({ passwordHash });
    expect(await failures(email, 13)).toEqual([1, 2, 4, 8, 16, 30, 30]);
    expectError(await login(email.toUpperCase(), PASSWORD), 429, 'RATE_LIMIT_EXCEEDED');
    clock.advance(30);
    expect((await login(email, PASSWORD)).status).toBe(200);
  });

  it('delay nobody for longer after the clock was set back', async () => {
    const { email } = await makeAdmin({ passwordHash });
    clock.advance(24 * 3600);
    expect(await failures(email, 11)).toEqual([1, 2, 4, 8, 16]);
    clock.advance(-24 * 3600);
    expect((await login(email, PASSWORD)).status).toBe(200);
    await failures(email, 6);
    clock.advance(-1);
    expectError(await login(email, PASSWORD), 429, 'RATE_LIMIT_EXCEEDED');
    clock.advance(2);
  });

  it('count the same for an unknown address', async () => {
    expect(await failures(`${unique()}@nowhere.example`, 13)).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it('are cleared by a success', async () => {
    const { email } = await makeAdmin({ passwordHash });
    await failures(email, 5);
    expect((await login(email, PASSWORD)).status).toBe(200);
    expect(await failures(email, 6)).toEqual([]);
  });

  it('are all counted under concurrency', async () => {
    const { email } = await makeAdmin({ passwordHash });
    const answers = await Promise.all(Array.from({ length: 40 }, () => login(email, 'not this one')));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(6);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(34);
  });

  it('are not cleared by a password change, which proves no second factor', async () => {
    const admin = await makeAdmin({ passwordHash });
    const { cookie } = await makeSession(admin.id, { expiresAt: new Date('2026-12-31') });
    const browser = client({ cookie, 'sec-fetch-site': 'same-origin' });
    await browser.call('POST', '/auth/totp/setup', { clock });
    const guess = () => browser.call('POST', '/auth/totp/verify', { body: { code: '000000' }, clock });
    for (let i = 0; i < 4; i++) expectError(await guess(), 401, 'TOTP_INVALID');
    const body = { current_password: PASSWORD, new_password: PASSWORD };
    expect((await browser.call('POST', '/auth/password', { body, clock })).status).toBe(200);
    expectError(await guess(), 401, 'TOTP_INVALID');
    expectError(await guess(), 401, 'TOTP_INVALID');
    expectError(await guess(), 429, 'RATE_LIMIT_EXCEEDED');
  });

  it('count for password changes and codes too', async () => {
    const admin = await makeAdmin({ passwordHash });
    const { cookie } = await makeSession(admin.id, { expiresAt: new Date('2026-12-31') });
    const browser = client({ cookie, 'sec-fetch-site': 'same-origin' });
    const change = (current: string) =>
      browser.call('POST', '/auth/password', {
        body: { current_password: current, new_password: 'a long new password' },
        clock,
      });
    for (let i = 0; i < 6; i++) expectError(await change('not this one'), 401, 'INVALID_CREDENTIALS');
    expectError(await change(PASSWORD), 429, 'RATE_LIMIT_EXCEEDED');
    expectError(await login(admin.email, PASSWORD), 429, 'RATE_LIMIT_EXCEEDED');
    await browser.call('POST', '/auth/totp/setup', { clock });
    const verify = await browser.call('POST', '/auth/totp/verify', { body: { code: '123456' }, clock });
    expectError(verify, 429, 'RATE_LIMIT_EXCEEDED');
  });
});
