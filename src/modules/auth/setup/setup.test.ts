import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { appRouter } from '@/modules/router';
import { createContext } from '@/server/procedures/context';
import { db } from '@/test/database';
import { makeAdmin } from '@/test/factories';
import { client } from '@/test/rest';
import { makeSetupToken } from './setup';

const PASSWORD = 'paper boats on the canal';

beforeEach(async () => {
  await db.admin.deleteMany();
  await db.setupLink.deleteMany();
  current = await makeSetupToken(db, new Date());
});

let addresses = 0;

function caller() {
  addresses += 1;
  const request = new Request('http://localhost:3000/', {
    headers: { 'x-postroom-client-ip': `2001:db8:f:${addresses}::1` },
  });
  const ctx = createContext(request);
  return { auth: appRouter.createCaller(ctx).auth, headers: ctx.response.headers };
}

let current: string;
const token = () => current;

describe('setting up the first admin', () => {
  it('creates a super_admin with an audit entry, signs them in, and invalidates the link', async () => {
    const { auth, headers } = caller();
    expect(await auth.setupStatus({ token: token() })).toEqual({ needs_setup: true, token_valid: true });
    const { admin } = await auth.setup({ token: token(), email: 'Ann@Post.example', password: PASSWORD });
    expect(admin).toMatchObject({ email: 'ann@post.example', role: 'super_admin' });

    const cookie = (headers.get('set-cookie') ?? '').split(';')[0] as string;
    expect((await client({ cookie }).get('/auth/me')).data.id).toBe(admin.id);
    expect(await db.auditEntry.findFirst({ where: { adminId: admin.id } })).toMatchObject({ action: 'admin.create' });
    expect(await auth.setupStatus({ token: token() })).toEqual({ needs_setup: false, token_valid: false });
    await expect(
      caller().auth.setup({ token: token(), email: 'b@c.example', password: PASSWORD }),
    ).rejects.toMatchObject({
      apiCode: 'CONFLICT',
    });
  });

  it('has one winner when two run at once', async () => {
    const tries = ['a', 'b', 'c', 'd'].map((name) =>
      caller().auth.setup({ token: token(), email: `${name}@post.example`, password: PASSWORD }),
    );
    const results = await Promise.allSettled(tries);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect(await db.admin.count()).toBe(1);
  });

  it('rejects another token', async () => {
    const wrong = { token: 'guess', email: 'a@b.example', password: PASSWORD };
    await expect(caller().auth.setup(wrong)).rejects.toMatchObject({ apiCode: 'FORBIDDEN' });
    expect(await caller().auth.setupStatus({ token: 'guess' })).toEqual({ needs_setup: true, token_valid: false });
    expect(await db.admin.count()).toBe(0);
  });

  it('accepts the link of every start for 24 hours, stored as a hash only', async () => {
    const start = (hoursAgo: number) => makeSetupToken(db, new Date(Date.now() - hoursAgo * 3_600_000));
    const [recent, expired] = [await start(23), await start(25)];
    expect(new Set([recent, expired, token()]).size).toBe(3);
    const isValid = async (link: string) => (await caller().auth.setupStatus({ token: link })).token_valid;
    expect([await isValid(token()), await isValid(recent), await isValid(expired)]).toEqual([true, true, false]);
    const late = { token: expired, email: 'a@b.example', password: PASSWORD };
    await expect(caller().auth.setup(late)).rejects.toMatchObject({ apiCode: 'FORBIDDEN' });
    expect(JSON.stringify(await db.setupLink.findMany())).not.toContain(recent);
    await caller().auth.setup({ ...late, token: recent });
    expect(await db.setupLink.count()).toBe(0);
  });

  it('isn’t allowed by anything that can be derived from SECRET_KEY', async () => {
    const mac = createHmac('sha256', process.env.SECRET_KEY ?? '')
      .update('setup\0')
      .digest('base64url');
    expect(await caller().auth.setupStatus({ token: mac })).toMatchObject({ token_valid: false });
  });

  it.each([
    ['short', 'elevenchars'],
    ['long', 'x'.repeat(257)],
    ['common', '1qaz2wsx3edc'],
    ['common in capitals', '1QAZ2WSX3EDC'],
  ])('rejects a %s password and names the field', async (_, password) => {
    await expect(caller().auth.setup({ token: token(), email: 'a@b.example', password })).rejects.toMatchObject({
      apiCode: 'VALIDATION_ERROR',
      details: { fields: [{ path: 'password' }] },
    });
  });

  it('reports that setup is done if there is an admin', async () => {
    await makeAdmin();
    expect(await caller().auth.setupStatus({})).toEqual({ needs_setup: false, token_valid: false });
  });
});
