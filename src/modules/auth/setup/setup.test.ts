import { beforeEach, describe, expect, it } from 'vitest';
import { appRouter } from '@/modules/router';
import { createContext } from '@/server/procedures/context';
import { derivedToken } from '@/server/secrets/crypto';
import { db } from '@/test/database';
import { makeAdmin } from '@/test/factories';
import { client } from '@/test/rest';

const PASSWORD = 'paper boats on the canal';

beforeEach(async () => {
  await db.admin.deleteMany();
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

const token = () => derivedToken('setup');

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
