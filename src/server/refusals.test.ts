import { beforeEach, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { writeCountedAttempts } from '@/server/denied-attempts';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeDomain, unique } from '@/test/factories';
import { type Client, client, keyClient } from '@/test/rest';

const WINDOW_SECONDS = 15 * 60;

let clock: ReturnType<typeof manualClock>;

beforeEach(async () => {
  clock = manualClock(new Date().toISOString());
  await db.deniedAttempt.deleteMany();
});

async function refuse(caller: Client, domainId: string, times: number): Promise<void> {
  const body = { domain_id: domainId, source_local_part: 'a', destination: 'a@b.example' };
  for (let i = 0; i < times; i += 1) {
    const { status } = await caller.call('POST', '/aliases', { body, clock });
    expect([403, 404]).toContain(status);
  }
}

async function endWindow(): Promise<void> {
  clock.advance(WINDOW_SECONDS);
  await writeCountedAttempts(db, clock.now());
}

const refusals = (where: object) =>
  db.auditEntry.findMany({ where: { outcome: 'denied', ...where }, orderBy: { id: 'asc' } });

it('refused calls of a key make one entry at once, and one with the number of all others after 15 minutes', async () => {
  const [own, other] = [await makeDomain(), await makeDomain()];
  const caller = await keyClient({ role: 'domain_admin', domainIds: [own.id] });
  const first = clock.now();
  await refuse(caller, other.id, 4);
  clock.advance(60);
  await refuse(caller, other.id, 36);
  const facts = { adminId: caller.admin.id, apiKeyId: caller.keyId, action: 'alias.create', domainId: null };
  expect(await refusals(facts)).toMatchObject([{ details: { code: 'FORBIDDEN', domain_id: other.id } }]);
  const last = clock.now();
  await endWindow();
  expect((await refusals(facts)).slice(1)).toMatchObject([
    {
      adminEmail: caller.admin.email,
      resource: 'alias',
      details: {
        ...{ code: 'FORBIDDEN', domain_id: other.id, further_attempts: 39 },
        ...{ first_at: first.toISOString(), last_at: last.toISOString() },
      },
    },
  ]);
});

it('a refusal is shown in the log of a domain only if the caller has access to it', async () => {
  const [own, other] = [await makeDomain(), await makeDomain()];
  const caller = await keyClient({ role: 'domain_admin', domainIds: [own.id] });
  const neighbor = await keyClient({ role: 'domain_admin', domainIds: [other.id] });
  await refuse(caller, other.id, 3);
  await caller.call('PATCH', `/domains/${other.id}`, { body: { description: 'x' }, clock });
  await caller.call('PATCH', `/domains/${own.id}`, { body: { description: 'x' }, clock });
  await endWindow();
  const denied = async (reader: Client) => {
    const { data } = await reader.get('/audit?outcome=denied&limit=200');
    return data.filter(({ admin_id: id }: { admin_id: string }) => id === caller.admin.id);
  };
  expect(await denied(neighbor)).toEqual([]);
  expect(await denied(caller)).toMatchObject([{ action: 'domain.update', domain_id: own.id }]);
  expect(await denied(await keyClient())).toHaveLength(4);
});

it('few entries are made, however many domains and resources are tried', async () => {
  const caller = await keyClient({ role: 'admin' });
  const domains = Array.from({ length: 15 }, () => uuidv7());
  for (const id of domains) await refuse(caller, id, 1);
  for (let i = 0; i < 12; i += 1) await caller.call('DELETE', `/aliases/${uuidv7()}`, { clock });
  const facts = { adminId: caller.admin.id };
  expect(await refusals(facts)).toHaveLength(12);
  await endWindow();
  const added = (await refusals(facts)).slice(12).sort((one, other) => one.action.localeCompare(other.action));
  expect(added).toMatchObject([
    { action: 'alias.create', domainId: null, details: { domains: 'several', further_attempts: 4 } },
    { action: 'alias.delete', details: { code: 'NOT_FOUND', further_attempts: 11 } },
  ]);
  expect(added[1]?.details).toMatchObject({ resources: Array(10).fill(expect.stringMatching(/^alias:/)) });
});

it('failed sign-ins from very many networks are counted together', async () => {
  const filler = Array.from({ length: 500 }, (_, i) => ({
    ...{
      network: `192.0.2.${i}`,
      action: 'session.create',
      code: 'INVALID_CREDENTIALS',
      account: `a${i}`,
      resource: 'session',
    },
    ...{ ipAddress: '192.0.2.1', userAgent: '', requestId: uuidv7(), attempts: 1 },
    ...{ firstAt: clock.now(), lastAt: clock.now() },
  }));
  await db.deniedAttempt.createMany({ data: filler });
  const before = await db.auditEntry.count();
  for (let i = 0; i < 6; i += 1) {
    const body = { email: `${unique()}@nowhere.example`, password: 'not this one' };
    expect((await client().call('POST', '/auth/login', { body, clock })).status).toBe(401);
  }
  expect(await db.auditEntry.count()).toBe(before + 1);
  await endWindow();
  expect(await db.auditEntry.count()).toBe(before + 2);
  expect(await refusals({ createdAt: clock.now() })).toMatchObject([
    { adminEmail: null, details: { addresses: 'several', accounts: 'several', further_attempts: 5 } },
  ]);
});
