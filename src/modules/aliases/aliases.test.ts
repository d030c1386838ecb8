import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAlias, makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

const MISSING = '019ac000-0000-7000-8000-000000000000';

let api: Awaited<ReturnType<typeof keyClient>>;
let domain: { id: string; name: string };

beforeEach(async () => {
  api = await keyClient({ role: 'admin' });
  domain = await makeDomain();
});

const create = (source: string, destination: string, over: object = {}) =>
  api.post('/aliases', { domain_id: domain.id, source_local_part: source, destination, ...over });

async function resolve(local: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ address: string }[]>`SELECT mta.resolve(${local}, ${domain.name}) AS address`;
  return rows.map(({ address }) => address);
}

describe('creating an alias', () => {
  it('returns the documented record and takes effect immediately', async () => {
    const answer = await create('Info', 'ann@far.example, Bo@Elsewhere.example');
    expect(answer.status).toBe(201);
    expect(answer.data).toEqual({
      id: expect.any(String),
      domain_id: domain.id,
      address: `info@${domain.name}`,
      source_local_part: 'info',
      destination: 'ann@far.example,Bo@elsewhere.example',
      active: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      warnings: [],
    });
    expect(await resolve('INFO')).toEqual(['ann@far.example', 'Bo@elsewhere.example']);
    const [entry] = await db.auditEntry.findMany({ where: { resource: `alias:${answer.data.id}` } });
    expect(entry).toMatchObject({ action: 'alias.create', domainId: domain.id, details: { before: null } });
  });

  it('accepts an empty source as the catch-all, one per domain', async () => {
    expect((await create('', 'ann@far.example')).data.source_local_part).toBe('');
    expect(await resolve('anybody')).toEqual(['ann@far.example']);
    expectError(await create('', 'bo@far.example'), 409, 'CONFLICT');
  });

  it('rejects a source in use, in any letter case and under concurrency', async () => {
    const answers = await Promise.all([create('info', 'a@far.example'), create('INFO', 'b@far.example')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const rejected = answers.find(({ status }) => status === 409);
    expect(rejected?.error.code).toBe('CONFLICT');
    expect(rejected?.error.details.fields?.[0]?.path).toBe('source_local_part');
  });

  it.each([
    [{}, 'MISSING_FIELDS'],
    [{ domain_id: MISSING, source_local_part: null, destination: 'a@b.example' }, 'MISSING_FIELDS'],
    [{ domain_id: MISSING, source_local_part: 'a', destination: '' }, 'MISSING_FIELDS'],
    [{ domain_id: 'no', source_local_part: 'a', destination: 'a@b.example' }, 'VALIDATION_ERROR'],
    [{ domain_id: MISSING, source_local_part: 'a b', destination: 'a@b.example' }, 'VALIDATION_ERROR'],
    [{ domain_id: MISSING, source_local_part: 'a@b.example', destination: 'a@b.example' }, 'VALIDATION_ERROR'],
    [{ domain_id: MISSING, source_local_part: 'ä', destination: 'a@b.example' }, 'VALIDATION_ERROR'],
    [{ domain_id: MISSING, source_local_part: 'a', destination: 'a@b.example', id: MISSING }, 'VALIDATION_ERROR'],
  ])('rejects %j', async (body, code) => {
    expectError(await api.post('/aliases', body), 400, code as 'VALIDATION_ERROR');
  });

  it.each(['*', '*@', 'sales-*', '*@here.example'])(
    'rejects the wildcard %j and names the catch-all',
    async (source) => {
      const { error } = expectError(await create(source, 'ann@far.example'), 400, 'VALIDATION_ERROR');
      expect(error.details.fields).toEqual([
        { path: 'source_local_part', message: expect.stringContaining('catch-all') },
      ]);
      expect(await db.alias.count({ where: { domainId: domain.id } })).toBe(0);
    },
  );

  it.each([
    '|/usr/bin/vacation',
    '"|/usr/bin/vacation"@far.example',
    '/var/mail/ann',
    ':include:/etc/passwd',
    'a@far.example,',
    'a@far.example,,b@far.example',
    'a@far.example;b@far.example',
    'Ann <a@far.example>',
    'a@far.example b@far.example',
    'a@[127.0.0.1]',
    'a@localhost',
    'a\n@far.example',
    'a@far.example\u0000',
    '@far.example',
    'ann',
  ])('rejects the destination %j', async (destination) => {
    expectError(await create('info', destination), 400, 'VALIDATION_ERROR');
  });

  it('accepts at most ten destinations', async () => {
    const list = (count: number) => Array.from({ length: count }, (_, i) => `a${i}@far.example`).join(', ');
    expect((await create('ten', list(10))).status).toBe(201);
    const answer = expectError(await create('eleven', list(11)), 400, 'TOO_MANY_DESTINATIONS');
    expect(answer.error.details.fields?.[0]?.path).toBe('destination');
  });

  it('returns the documented error for a missing, unassigned, out-of-scope or inactive domain', async () => {
    const body = (domainId: string) => ({ domain_id: domainId, source_local_part: 'a', destination: 'b@far.example' });
    expectError(await api.post('/aliases', body(MISSING)), 404, 'DOMAIN_NOT_FOUND');
    const unassigned = await keyClient({ role: 'domain_admin' });
    expectError(await unassigned.post('/aliases', body(domain.id)), 403, 'FORBIDDEN');
    const scoped = await keyClient({ role: 'admin', scopedDomainIds: [(await makeDomain()).id] });
    expectError(await scoped.post('/aliases', body(domain.id)), 403, 'API_KEY_DOMAIN_SCOPE');
    const inactive = await makeDomain({ active: false });
    expectError(await api.post('/aliases', body(inactive.id)), 403, 'DOMAIN_INACTIVE');
  });

  it('enforces the domain’s alias limit under concurrency', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { maxAliases: 1 } });
    const answers = await Promise.all([create('a', 'x@far.example'), create('b', 'x@far.example')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });
});

describe('updating and deleting', () => {
  it('changes only the supplied fields and takes effect immediately', async () => {
    const { data } = await create('info', 'ann@far.example');
    expect((await api.patch(`/aliases/${data.id}`, { active: false })).data).toMatchObject({
      active: false,
      destination: 'ann@far.example',
    });
    expect(await resolve('info')).toEqual([]);
    await api.patch(`/aliases/${data.id}`, { active: true, destination: 'bo@far.example' });
    expect(await resolve('info')).toEqual(['bo@far.example']);
    expect((await api.delete(`/aliases/${data.id}`)).data.message).toContain(`info@${domain.name}`);
    expect(await resolve('info')).toEqual([]);
    expectError(await api.get(`/aliases/${data.id}`), 404, 'NOT_FOUND');
    expectError(await api.delete(`/aliases/${data.id}`), 404, 'NOT_FOUND');
    const entries = await db.auditEntry.findMany({
      where: { resource: `alias:${data.id}`, outcome: 'success' },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action }) => action)).toEqual([
      'alias.create',
      'alias.update',
      'alias.update',
      'alias.delete',
    ]);
    expect(entries[1]?.details).toMatchObject({ before: { active: true }, after: { active: false } });
  });

  it('rejects changes to the source', async () => {
    const { data } = await create('info', 'ann@far.example');
    expectError(await api.patch(`/aliases/${data.id}`, { source_local_part: 'x' }), 400, 'VALIDATION_ERROR');
  });
});

describe('listing', () => {
  it('paginates, sorts and filters', async () => {
    for (const source of ['c', 'a', 'b']) await makeAlias(domain.id, source, `${source}@far.example`);
    await makeAlias(domain.id, 'off', 'x@far.example', { active: false });
    const list = async (query: string) =>
      (await api.get(`/aliases?domain_id=${domain.id}&${query}`)).data.map(
        ({ source_local_part: source }: { source_local_part: string }) => source,
      );
    expect(await list('sort=source_local_part&order=asc')).toEqual(['a', 'b', 'c', 'off']);
    expect(await list('active=false')).toEqual(['off']);
    expect(await list('q=B%40FAR')).toEqual(['b']);
    expect(await list(`q=A%40${domain.name.slice(0, 3)}`)).toEqual(['a']);
    expect(await list(`sort=source_local_part&order=asc&q=%40${domain.name}`)).toEqual(['a', 'b', 'c', 'off']);
    expect(await list('q=a%40elsewhere.example')).toEqual([]);
    const first = await api.get(`/aliases?domain_id=${domain.id}&sort=source_local_part&order=asc&limit=3`);
    expect(first.meta.pagination?.has_more).toBe(true);
    expect(await list(`sort=source_local_part&order=asc&limit=3&cursor=${first.meta.pagination?.next_cursor}`)).toEqual(
      ['off'],
    );
    expect(await list(`address=%40${domain.name}`)).toEqual([]);
    await makeAlias(domain.id, '', 'x@far.example');
    expect(await list(`address=%40${domain.name}`)).toEqual(['']);
    expect(await list(`address=A%40${domain.name}`)).toEqual(['a']);
  });

  it('requires a domain_admin to give an assigned domain', async () => {
    const own = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    expectError(await own.get('/aliases'), 400, 'MISSING_FIELDS');
    expect((await own.get(`/aliases?domain_id=${domain.id}`)).status).toBe(200);
    expectError(await own.get(`/aliases?domain_id=${(await makeDomain()).id}`), 403, 'FORBIDDEN');
    expectError(await own.get(`/aliases?domain_id=${MISSING}`), 404, 'DOMAIN_NOT_FOUND');
  });
});
