import { describe, expect, it } from 'vitest';
import { hashPassword, isPassword } from '@/server/secrets/password';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeAdmin, makeSession, unique } from '@/test/factories';
import { type Answer, client, expectError } from '@/test/rest';
import { deleteOldDevices } from './sessions/device';

const PASSWORD = 'paper boats on the canal';
const DAY = 24 * 3600;
const passwordHash = await hashPassword(PASSWORD);
const clock = manualClock('2026-11-21T09:00:00Z');

const login = (email: string, password: string, device?: string) =>
  client(device ? { cookie: device } : {}).call('POST', '/auth/login', { body: { email, password }, clock });

function deviceIn(answer: Answer): string {
  const [pair = ''] = answer.headers.getSetCookie().filter((cookie) => cookie.startsWith('postroom_device='));
  return pair.split(';')[0] as string;
}

/** An admin who signed in once, and the device cookie of that browser. */
async function withDevice() {
  const { id, email } = await makeAdmin({ passwordHash });
  return { id, email, device: deviceIn(await login(email, PASSWORD)) };
}

/** Fails until the next attempt has to wait. */
async function exhaust(email: string, device?: string): Promise<void> {
  for (let i = 0; i < 6; i++) expectError(await login(email, 'not this one', device), 401, 'INVALID_CREDENTIALS');
  expectError(await login(email, 'not this one', device), 429, 'RATE_LIMIT_EXCEEDED');
}

describe('a device that signed in before', () => {
  it('gets a long-lived cookie that only the API receives and no script reads', async () => {
    const { email } = await makeAdmin({ passwordHash });
    const answer = await login(email, PASSWORD);
    const [, cookie = ''] = answer.headers.getSetCookie();
    const [value, ...attributes] = cookie.split('; ');
    expect(value).toMatch(/^postroom_device=[\w-]{43}$/);
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=34560000', 'Path=/api', 'SameSite=Lax', 'Secure']);
    const stored = await db.signInDevice.findMany({ where: { admin: { email } } });
    expect(JSON.stringify(stored)).not.toContain(value?.split('=')[1]);
  });

  it('signs in while strangers fail on the account, who still wait afterwards', async () => {
    const { email, device } = await withDevice();
    await exhaust(email);
    expect((await login(email, PASSWORD, device)).status).toBe(200);
    expectError(await login(email, PASSWORD), 429, 'RATE_LIMIT_EXCEEDED');
  });

  it('signs in while strangers take all places to compare a password, of which a network has ten', async () => {
    const { email, device } = await withDevice();
    const attemptFrom = (address: string) => isPassword('not this one', null, address);
    const reason = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' });
    const hosts = Array.from({ length: 11 }, (_, host) => host);
    const ofNetwork = (await Promise.allSettled(hosts.map((host) => attemptFrom(`192.0.2.${host}`)))).at(-1);
    expect(ofNetwork).toEqual({ status: 'rejected', reason });

    let waiting = 100;
    const strangers = hosts.slice(1).flatMap((network) =>
      hosts.slice(1).map((host) =>
        attemptFrom(`10.0.${network}.${host}`).then(() => {
          waiting -= 1;
        }),
      ),
    );
    expect((await login(email, PASSWORD, device)).status).toBe(200);
    expect(waiting).toBeGreaterThan(0);
    await Promise.all(strangers);
    expect(await attemptFrom('192.0.2.1')).toBe(false);
  });

  it('has a count of its own', async () => {
    const { email, device } = await withDevice();
    await exhaust(email, device);
    expectError(await login(email, PASSWORD, device), 429, 'RATE_LIMIT_EXCEEDED');
    expect((await login(email, PASSWORD)).status).toBe(200);
    clock.advance(30);
    expect((await login(email, PASSWORD, device)).status).toBe(200);
  });

  it('is known for its own admin only', async () => {
    const [one, other] = [await withDevice(), await withDevice()];
    await exhaust(one.email);
    expectError(await login(one.email, PASSWORD, other.device), 429, 'RATE_LIMIT_EXCEEDED');
    for (const cookie of ['postroom_device=guess', `postroom_device=${'a'.repeat(43)}`, 'postroom_device=']) {
      expectError(await login(one.email, PASSWORD, cookie), 429, 'RATE_LIMIT_EXCEEDED');
    }
  });

  it('is known for every admin who signed in with it, under a new secret after each sign-in', async () => {
    const { email, device } = await withDevice();
    const colleague = await makeAdmin({ passwordHash });
    const shared = deviceIn(await login(colleague.email, PASSWORD, device));
    expect(shared).not.toBe(device);
    for (const each of [email, colleague.email]) {
      await exhaust(each);
      expectError(await login(each, PASSWORD, device), 429, 'RATE_LIMIT_EXCEEDED');
    }
    expect((await login(email, PASSWORD, shared)).status).toBe(200);
  });

  it('gets no answer that reveals which accounts exist', async () => {
    const { email, device } = await withDevice();
    const answers = [await login(email, 'not this one', device), await login(`${unique()}@a.example`, 'x', device)];
    const told = answers.map(({ status, error, headers }) => ({ status, error, cookies: headers.getSetCookie() }));
    expect(told[0]).toEqual(told[1]);
  });

  it('is forgotten with a new password, when all sessions end, and after 400 days', async () => {
    const devicesOf = (adminId: string) => db.signInDevice.count({ where: { adminId } });
    const [one, other, third] = [await withDevice(), await withDevice(), await withDevice()];
    const browser = async ({ id }: { id: string }) =>
      client({ cookie: (await makeSession(id)).cookie, 'sec-fetch-site': 'same-origin' });
    const body = { current_password: PASSWORD, new_password: `${PASSWORD} again` };
    expect((await (await browser(one)).post('/auth/password', body)).status).toBe(200);
    await (await browser(other)).post('/auth/logout-all');
    expect([await devicesOf(one.id), await devicesOf(other.id), await devicesOf(third.id)]).toEqual([0, 0, 1]);
    clock.advance(401 * DAY);
    await deleteOldDevices(db, clock.now());
    expect(await devicesOf(third.id)).toBe(0);
  });

  it('is one of at most 20 per admin', async () => {
    const { id, email, device } = await withDevice();
    const secretHashes = Array.from({ length: 20 }, (_, i) => new Uint8Array([i]));
    const lastUsedAt = new Date('2026-01-01');
    await db.signInDevice.createMany({
      data: secretHashes.map((secretHash) => ({ adminId: id, secretHash, lastUsedAt })),
    });
    const next = deviceIn(await login(email, PASSWORD, device));
    expect(await db.signInDevice.count({ where: { adminId: id } })).toBe(20);
    await exhaust(email);
    expect((await login(email, PASSWORD, next)).status).toBe(200);
  });
});
