import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { SieveError } from '@/mail/agent/requests';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { startAgent } from '@/test/mail/agent';
import { expectError, keyClient } from '@/test/rest';

const MISSING = '019ac000-0000-7000-8000-000000000000';
const BROKEN = 'if header {';
const ERRORS: SieveError[] = [
  { line: 1, message: 'unexpected end of file' },
  { line: null, message: 'something else' },
];

let api: Awaited<ReturnType<typeof keyClient>>;
let domain: { id: string; name: string };
let checkedScripts: string[];

beforeEach(async () => {
  await db.sieveFilter.deleteMany();
  api = await keyClient({ role: 'admin' });
  domain = await makeDomain();
});

/** A compiler that rejects one script. */
async function startCompiler() {
  checkedScripts = [];
  const end = await startAgent(db, {
    'sieve.check': async ({ script }) => {
      checkedScripts.push(script);
      return { errors: script === BROKEN ? ERRORS : [] };
    },
  });
  return end;
}

const create = (over: object = {}, as = api) =>
  as.post('/sieve-filters', { scope: 'domain', domain_id: domain.id, name: 'Spam', script: 'keep;', ...over });

function makeFilter(over: { domainId?: string; mailboxId?: string; active?: boolean; name?: string } = {}) {
  const scope = over.mailboxId ? 'mailbox' : over.domainId ? 'domain' : 'global';
  return db.sieveFilter.create({ data: { scope, name: 'Spam', script: 'keep;', ...over } });
}

const auditOf = (id: string) =>
  db.auditEntry.findMany({ where: { resource: `sieve_filter:${id}` }, orderBy: { createdAt: 'asc' } });

describe('creating a filter', () => {
  beforeEach(startCompiler);

  it('returns the documented record for each scope, at the end of the scope, and audits it', async () => {
    const { id: mailboxId } = await makeMailbox(domain.id, 'ann');
    const everything = {
      active: true,
      name: 'Spam',
      script: 'keep;',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    const global = await create({ scope: 'global', domain_id: null });
    expect(global.status).toBe(201);
    expect(global.data).toEqual({
      ...everything,
      id: expect.any(String),
      scope: 'global',
      domain_id: null,
      mailbox_id: null,
      domain: null,
      mailbox: null,
      position: 1,
    });
    const ofDomain = await create({ position: 7 });
    expect(ofDomain.data).toMatchObject({
      scope: 'domain',
      domain_id: domain.id,
      domain: domain.name,
      mailbox: null,
      position: 7,
    });
    expect((await create()).data.position).toBe(8);
    const ofMailbox = await create({ scope: 'mailbox', domain_id: undefined, mailbox_id: mailboxId });
    expect(ofMailbox.data).toMatchObject({
      mailbox_id: mailboxId,
      domain_id: null,
      domain: domain.name,
      mailbox: `ann@${domain.name}`,
      position: 1,
    });
    expect(await auditOf(ofMailbox.data.id)).toMatchObject([
      {
        action: 'sieve_filter.create',
        domainId: domain.id,
        outcome: 'success',
        details: { before: null, after: ofMailbox.data },
      },
    ]);
    expect(checkedScripts).toHaveLength(4);
  });

  it('runs last behind a filter at the last position, and takes that position again', async () => {
    await create({ position: 9_999 });
    const { data } = await create();
    expect(data.position).toBe(9_999);
    expect((await api.patch(`/sieve-filters/${data.id}`, { position: data.position })).status).toBe(200);
  });

  it('rejects a script that does not compile, with the lines, and saves nothing', async () => {
    const answer = expectError(await create({ script: BROKEN }), 400, 'VALIDATION_ERROR');
    expect(answer.error.details).toEqual({
      fields: [{ path: 'script', message: 'Line 1: unexpected end of file' }],
      errors: ERRORS,
    });
    expect(await db.sieveFilter.count()).toBe(0);
  });

  it.each([
    ['without a name', { name: '' }, 'MISSING_FIELDS'],
    ['without a script', { script: '' }, 'MISSING_FIELDS'],
    ['for a domain without its id', { domain_id: null }, 'MISSING_FIELDS'],
    ['for a mailbox without its id', { scope: 'mailbox', domain_id: null }, 'MISSING_FIELDS'],
    ['for all mail with a domain', { scope: 'global' }, 'VALIDATION_ERROR'],
    ['for a mailbox with a domain', { scope: 'mailbox', mailbox_id: MISSING }, 'VALIDATION_ERROR'],
    ['with an unknown scope', { scope: 'everybody' }, 'VALIDATION_ERROR'],
    ['with a name that is too long', { name: 'x'.repeat(101) }, 'VALIDATION_ERROR'],
    ['with a script that is too long', { script: `# ${'é'.repeat(32_768)}` }, 'VALIDATION_ERROR'],
    ['with a NUL', { script: 'keep;\0' }, 'VALIDATION_ERROR'],
    ['with a negative position', { position: -1 }, 'VALIDATION_ERROR'],
  ] as const)('rejects a filter %s', async (_, over, code) => {
    expectError(await create(over), 400, code);
    expect(checkedScripts).toEqual([]);
  });

  it('accepts a script of 64 KB', async () => {
    expect((await create({ script: `#${'x'.repeat(65_535)}` })).status).toBe(201);
  });

  it('rejects an inactive domain and an unknown domain or mailbox', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    expectError(await create(), 403, 'DOMAIN_INACTIVE');
    expectError(await create({ domain_id: MISSING }), 404, 'DOMAIN_NOT_FOUND');
    expectError(await create({ scope: 'mailbox', domain_id: null, mailbox_id: MISSING }), 404, 'NOT_FOUND');
    expect(checkedScripts).toEqual([]);
  });

  it('allows 20 active filters per scope, also with concurrent calls, and 200 in total', async () => {
    const rows = (count: number, active: boolean) =>
      db.sieveFilter.createMany({
        data: Array.from({ length: count }, () => ({
          scope: 'domain' as const,
          domainId: domain.id,
          name: 'x',
          script: 'keep;',
          active,
        })),
      });
    await rows(19, true);
    const answers = await Promise.all([create(), create()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect(answers.find(({ status }) => status === 409)?.error).toMatchObject({
      code: 'CONFLICT',
      details: { limit: 20 },
    });
    const spare = await create({ active: false });
    expect(spare.status).toBe(201);
    expectError(await api.patch(`/sieve-filters/${spare.data.id}`, { active: true }), 409, 'CONFLICT');
    await rows(200 - 21, false);
    expectError(await create({ active: false }), 409, 'CONFLICT');
    expect((await create({ domain_id: (await makeDomain()).id })).status).toBe(201);
  });
});

describe('changing a filter', () => {
  it('saves a script that compiles, rejects one that does not, and audits the change', async () => {
    onTestFinished(await startCompiler());
    const { id } = await makeFilter({ domainId: domain.id });
    expect((await api.patch(`/sieve-filters/${id}`, { script: 'stop;' })).data).toMatchObject({
      script: 'stop;',
      name: 'Spam',
    });
    expectError(await api.patch(`/sieve-filters/${id}`, { script: BROKEN, name: 'Other' }), 400, 'VALIDATION_ERROR');
    expect(await db.sieveFilter.findUnique({ where: { id } })).toMatchObject({ script: 'stop;', name: 'Spam' });
    expect(await auditOf(id)).toMatchObject([
      {
        action: 'sieve_filter.update',
        domainId: domain.id,
        details: { before: { script: 'keep;' }, after: { script: 'stop;' } },
      },
    ]);
  });

  it('needs no mail server for name, position, active and an unchanged script', async () => {
    const { id } = await makeFilter({ domainId: domain.id });
    const change = { name: 'Junk', active: false, position: 3, script: 'keep;' };
    expect((await api.patch(`/sieve-filters/${id}`, change)).data).toMatchObject(change);
    expect((await api.get(`/sieve-filters/${id}`)).data).toMatchObject(change);
    expectError(await api.patch(`/sieve-filters/${id}`, { scope: 'global' }), 400, 'VALIDATION_ERROR');
  });

  it('rejects a changed script if no mail server is attached', async () => {
    const { id } = await makeFilter({ domainId: domain.id });
    expectError(
      await api.patch(`/sieve-filters/${id}`, { script: 'stop;', name: 'Junk' }),
      503,
      'MAIL_STACK_UNAVAILABLE',
    );
    expectError(await create(), 503, 'MAIL_STACK_UNAVAILABLE');
    expect(await db.sieveFilter.findMany()).toMatchObject([{ script: 'keep;', name: 'Spam' }]);
  });
});

it('deletes a filter and audits its last state', async () => {
  const { id } = await makeFilter({ domainId: domain.id });
  expect((await api.delete(`/sieve-filters/${id}`)).data).toEqual({ message: 'Filter Spam deleted.' });
  expectError(await api.get(`/sieve-filters/${id}`), 404, 'NOT_FOUND');
  expect(await auditOf(id)).toMatchObject([
    { action: 'sieve_filter.delete', details: { before: { script: 'keep;' }, after: null } },
  ]);
});

describe('checking a script', () => {
  it('reports whether it compiles, and saves nothing', async () => {
    onTestFinished(await startCompiler());
    const check = async (script: string) => (await api.post('/sieve-filters/validate', { script })).data;
    expect(await check('keep;')).toEqual({ valid: true, errors: [] });
    expect(await check(BROKEN)).toEqual({ valid: false, errors: ERRORS });
    expect(await db.sieveFilter.count()).toBe(0);
  });

  it('responds 503 if no mail server is attached', async () => {
    expectError(await api.post('/sieve-filters/validate', { script: 'keep;' }), 503, 'MAIL_STACK_UNAVAILABLE');
  });
});

describe('listing filters', () => {
  const names = async (query: string, as = api) =>
    (await as.get(`/sieve-filters?order=asc${query}`)).data.map(({ name }: { name: string }) => name);

  it('filters by scope, domain, mailbox, active and name', async () => {
    const { id: mailboxId } = await makeMailbox(domain.id, 'ann');
    await makeFilter({ name: 'All 100%' });
    await makeFilter({ name: 'Domain', domainId: domain.id });
    await makeFilter({ name: 'Mailbox', mailboxId, active: false });
    await makeFilter({ name: 'Elsewhere', domainId: (await makeDomain()).id });
    expect(await names('')).toEqual(['All 100%', 'Domain', 'Mailbox', 'Elsewhere']);
    expect(await names('&scope=global')).toEqual(['All 100%']);
    expect(await names(`&domain_id=${domain.id}`)).toEqual(['Domain', 'Mailbox']);
    expect(await names(`&domain_id=${domain.id}&scope=domain`)).toEqual(['Domain']);
    expect(await names(`&mailbox_id=${mailboxId}`)).toEqual(['Mailbox']);
    expect(await names('&active=false')).toEqual(['Mailbox']);
    expect(await names('&q=100%25')).toEqual(['All 100%']);
    expect(await names('&q=MAIL')).toEqual(['Mailbox']);
    expectError(await api.get(`/sieve-filters?domain_id=${MISSING}`), 404, 'DOMAIN_NOT_FOUND');
  });

  it.each(['domain_admin', 'scoped key'])(
    'shows a %s only the filters of its domains and their mailboxes',
    async (caller) => {
      const elsewhere = await makeDomain();
      const limited = await keyClient(
        caller === 'scoped key'
          ? { role: 'admin', scopedDomainIds: [domain.id] }
          : { role: 'domain_admin', domainIds: [domain.id] },
      );
      const [ann, bo] = [await makeMailbox(domain.id, 'ann'), await makeMailbox(elsewhere.id, 'bo')];
      await makeFilter({ name: 'Domain', domainId: domain.id });
      const own = await makeFilter({ name: 'Mailbox', mailboxId: ann.id });
      const foreign = [
        await makeFilter(),
        await makeFilter({ domainId: elsewhere.id }),
        await makeFilter({ mailboxId: bo.id }),
      ];
      expect(await names('', limited)).toEqual(['Domain', 'Mailbox']);
      expect((await limited.patch(`/sieve-filters/${own.id}`, { active: false })).status).toBe(200);
      for (const { id } of foreign) {
        expectError(await limited.get(`/sieve-filters/${id}`), 404, 'NOT_FOUND');
        expectError(await limited.patch(`/sieve-filters/${id}`, { active: false }), 404, 'NOT_FOUND');
        expectError(await limited.delete(`/sieve-filters/${id}`), 404, 'NOT_FOUND');
      }
      const code = caller === 'scoped key' ? 'API_KEY_DOMAIN_SCOPE' : 'FORBIDDEN';
      expectError(await create({ scope: 'global', domain_id: null }, limited), 403, code);
      expectError(await create({ domain_id: elsewhere.id }, limited), 403, code);
      expectError(await create({ scope: 'mailbox', domain_id: null, mailbox_id: bo.id }, limited), 404, 'NOT_FOUND');
    },
  );
});
