import { describe, expect, it } from 'vitest';
import { Empty } from '@/lib/wire';
import { db } from '@/test/database';
import { makeAdmin, makeApiKey, unique } from '@/test/factories';
import { createContext } from './context';
import { authedProcedure, router } from './trpc';

const testRouter = router({
  silent: authedProcedure(Empty)
    .meta({ audit: 'domain.create' })
    .mutation(({ ctx }) => ctx.db.domain.create({ data: { name: `silent-${unique()}.example` } })),
  nameless: authedProcedure(Empty).mutation(() => null),
  failing: authedProcedure(Empty)
    .meta({ audit: 'domain.create' })
    .mutation(async ({ ctx }) => {
      await ctx.audit({ resource: 'domain:failing' });
      await ctx.db.domain.create({ data: { name: `failing-${unique()}.example` } });
      throw new Error('after the audit entry');
    }),
});

async function caller() {
  const { key } = await makeApiKey((await makeAdmin()).id);
  const request = new Request('http://localhost:3000/', { headers: { authorization: `Bearer ${key}` } });
  return testRouter.createCaller(createContext(request));
}

describe('a mutation', () => {
  it('without an audit entry is rolled back', async () => {
    await expect((await caller()).silent({})).rejects.toThrow('recorded no audit entry');
    expect(await db.domain.count({ where: { name: { startsWith: 'silent' } } })).toBe(0);
  });

  it('that fails after its audit entry leaves no trace', async () => {
    await expect((await caller()).failing({})).rejects.toThrow('after the audit entry');
    expect(await db.domain.count({ where: { name: { startsWith: 'failing' } } })).toBe(0);
    expect(await db.auditEntry.count({ where: { resource: 'domain:failing' } })).toBe(0);
  });

  it('without an audit action does not run', async () => {
    await expect((await caller()).nameless({})).rejects.toThrow('names no audit action');
  });
});
