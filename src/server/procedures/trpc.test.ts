import { describe, expect, it } from 'vitest';
import { Empty } from '@/lib/wire';
import { db } from '@/test/database';
import { makeAdmin, makeApiKey, unique } from '@/test/factories';
import { notFound } from '../errors';
import { createContext } from './context';
import type { MutationContext } from './mutation';
import { adminProcedure, authedProcedure, router } from './trpc';

type Verb = (ctx: MutationContext) => Promise<unknown>;

const action = 'domain.create';

/** Calls a mutation that runs the given verb. The caller is a new admin with an API key. */
async function callVerb(verb: Verb) {
  const procedure = authedProcedure(Empty)
    .meta({ audit: action })
    .mutation(({ ctx }) => verb(ctx));
  return call(router({ verb: procedure }), 'super_admin');
}

async function call(routerOfVerb: ReturnType<typeof router>, role: 'super_admin' | 'domain_admin') {
  const { key } = await makeApiKey((await makeAdmin({ role })).id);
  const request = new Request('http://localhost:3000/', { headers: { authorization: `Bearer ${key}` } });
  const caller = routerOfVerb.createCaller(createContext(request)) as unknown as {
    verb(input: object): Promise<unknown>;
  };
  return caller.verb({});
}

const newName = () => `planted-${unique()}.example`;
const domains = (name: string) => db.domain.count({ where: { name } });
const entries = (resource: string) =>
  db.auditEntry.findMany({ where: { resource }, select: { action: true, outcome: true, details: true } });

describe('a transaction of a mutation', () => {
  it('commits with its audit entry', async () => {
    const name = newName();
    const created = await callVerb((ctx) =>
      ctx.transaction(async ({ tx, audit }) => {
        await tx.domain.create({ data: { name } });
        await audit({ resource: `domain:${name}` });
        return name;
      }),
    );
    expect(created).toBe(name);
    expect(await domains(name)).toBe(1);
    expect(await entries(`domain:${name}`)).toEqual([{ action, outcome: 'success', details: {} }]);
  });

  it('is rolled back without an audit entry', async () => {
    const name = newName();
    const attempt = callVerb((ctx) => ctx.transaction(({ tx }) => tx.domain.create({ data: { name } })));
    await expect(attempt).rejects.toThrow('recorded no audit entry');
    expect(await domains(name)).toBe(0);
  });

  it('is rolled back without an audit entry of its own', async () => {
    const name = newName();
    const attempt = callVerb(async (ctx) => {
      await ctx.auditAlone({ resource: `domain:${name}` });
      await ctx.transaction(({ tx }) => tx.domain.create({ data: { name } }));
    });
    await expect(attempt).rejects.toThrow('recorded no audit entry');
    expect(await domains(name)).toBe(0);
  });

  it('leaves no trace if it fails after its audit entry', async () => {
    const name = newName();
    const attempt = callVerb((ctx) =>
      ctx.transaction(async ({ tx, audit }) => {
        await audit({ resource: `domain:${name}` });
        await tx.domain.create({ data: { name } });
        throw new Error('after the audit entry');
      }),
    );
    await expect(attempt).rejects.toThrow('after the audit entry');
    expect(await domains(name)).toBe(0);
    expect(await entries(`domain:${name}`)).toEqual([]);
  });
});

describe('a mutation', () => {
  it('fails if it records no audit entry and opens no transaction', async () => {
    await expect(callVerb(async () => 'done')).rejects.toThrow('recorded no audit entry');
  });

  it('fails if the only entry is in a transaction that was rolled back', async () => {
    const name = newName();
    const attempt = callVerb((ctx) =>
      ctx
        .transaction(async ({ audit }) => {
          await audit({ resource: `domain:${name}` });
          throw new Error('rolled back');
        })
        .catch(() => 'done'),
    );
    await expect(attempt).rejects.toThrow('recorded no audit entry');
    expect(await entries(`domain:${name}`)).toEqual([]);
  });

  it('keeps an entry recorded alone when it then fails', async () => {
    const name = newName();
    const attempt = callVerb(async (ctx) => {
      await ctx.auditAlone({ resource: `domain:${name}`, outcome: 'error' });
      throw new Error('after the entry');
    });
    await expect(attempt).rejects.toThrow('after the entry');
    expect(await entries(`domain:${name}`)).toEqual([{ action, outcome: 'error', details: {} }]);
  });

  it('without an audit action does not run', async () => {
    const nameless = router({ verb: authedProcedure(Empty).mutation(() => null) });
    await expect(call(nameless, 'super_admin')).rejects.toThrow('names no audit action');
  });
});

describe('a refusal', () => {
  const entriesOfCall = async (verb: Verb) => {
    let requestId = '';
    const attempt = callVerb((ctx) => {
      requestId = ctx.request.id;
      return verb(ctx);
    });
    await expect(attempt).rejects.toMatchObject({ apiCode: 'NOT_FOUND' });
    return db.auditEntry.findMany({ where: { requestId }, select: { action: true, outcome: true, resource: true } });
  };

  it('is recorded once, outside of the transaction that it rolls back', async () => {
    const found = await entriesOfCall((ctx) =>
      ctx.transaction(async ({ audit }) => {
        await audit({ resource: 'domain:rolled-back' });
        throw notFound('domain');
      }),
    );
    expect(found).toEqual([{ action, outcome: 'denied', resource: 'domain' }]);
  });

  it('is not recorded again if the verb has recorded it', async () => {
    const found = await entriesOfCall(async (ctx) => {
      await ctx.auditAlone({ resource: 'domain:own', outcome: 'denied' });
      throw notFound('domain');
    });
    expect(found).toEqual([{ action, outcome: 'denied', resource: 'domain:own' }]);
  });

  it('by role is recorded, and the verb does not run', async () => {
    const forbidden = adminProcedure(Empty)
      .meta({ audit: 'domain.delete' })
      .mutation(() => expect.unreachable());
    const before = await db.auditEntry.count({ where: { action: 'domain.delete', outcome: 'denied' } });
    await expect(call(router({ verb: forbidden }), 'domain_admin')).rejects.toMatchObject({ apiCode: 'FORBIDDEN' });
    expect(await db.auditEntry.count({ where: { action: 'domain.delete', outcome: 'denied' } })).toBe(before + 1);
  });
});

it('a query cannot write', async () => {
  const query = authedProcedure(Empty).query(({ ctx }) => ctx.auditAlone({ resource: 'domain' }));
  await expect(call(router({ verb: query }), 'super_admin')).rejects.toThrow('queries do not write');
});
