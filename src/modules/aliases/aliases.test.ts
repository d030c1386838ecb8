import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAlias, makeDomain, makeMailbox } from '@/test/factories';
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

describe('alias chains', () => {
  it('are rejected from either end, in any letter case', async () => {
    await create('first', 'ann@far.example');
    const forward = expectError(await create('second', `FIRST@${domain.name}`), 400, 'ALIAS_CHAIN');
    expect(forward.error.details.fields?.[0]?.path).toBe('destination');
    await create('third', `Fourth@${domain.name}, x@far.example`);
    const backward = expectError(await create('fourth', 'ann@far.example'), 400, 'ALIAS_CHAIN');
    expect(backward.error.details.fields?.[0]?.path).toBe('source_local_part');
    expectError(await create('fifth', `fifth@${domain.name}`), 400, 'ALIAS_CHAIN');
  });

  it('are rejected across managed domains', async () => {
    const other = await makeDomain();
    await create('first', 'ann@far.example');
    const across = { domain_id: other.id, source_local_part: 'a', destination: `first@${domain.name}` };
    expectError(await api.post('/aliases', across), 400, 'ALIAS_CHAIN');
    await create('third', `b@${other.name}`);
    expectError(
      await api.post('/aliases', { ...across, source_local_part: 'b', destination: 'x@far.example' }),
      400,
      'ALIAS_CHAIN',
    );
  });

  it('are rejected when an alias is updated', async () => {
    await create('first', 'ann@far.example');
    const { data } = await create('second', 'ann@far.example');
    expectError(await api.patch(`/aliases/${data.id}`, { destination: `first@${domain.name}` }), 400, 'ALIAS_CHAIN');
    expectError(await api.patch(`/aliases/${data.id}`, { destination: `second@${domain.name}` }), 400, 'ALIAS_CHAIN');
    expect((await api.get(`/aliases/${data.id}`)).data.destination).toBe('ann@far.example');
  });

  it('cannot be created by concurrent requests', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = [`a${round}`, `b${round}`];
      const answers = await Promise.all([
        create(a, `${b}@${domain.name}`),
        create(b, `${a}@${domain.name}`),
        create(b, 'x@far.example'),
      ]);
      const created = answers.filter(({ status }) => status === 201).map(({ data }) => data);
      const sources = created.map(({ source_local_part: source }) => `${source}@${domain.name}`);
      expect(created.length).toBeGreaterThan(0);
      for (const { destination } of created) expect(sources).not.toContain(destination);
    }
  });

  it('do not apply to a catch-all', async () => {
    await create('', 'ann@far.example');
    expect((await create('a', `b@${domain.name}`)).status).toBe(201);
  });
});

describe('warnings', () => {
  it('report a mailbox that shadows the alias and each local destination that receives nothing, with the reason', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'off', { active: false });
    await makeMailbox(domain.id, 'info');
    const closed = await makeDomain({ active: false });
    await makeMailbox(closed.id, 'bo');
    const [off, nobody] = [`Off@${domain.name}`, `nobody@${domain.name}`];
    const { data } = await create('info', `ann@${domain.name},${off},${nobody},bo@${closed.name},x@far.example`);
    expect(data.warnings).toEqual([
      {
        code: 'shadowed_by_mailbox',
        destination: null,
        message: 'A mailbox has this address and receives its mail instead of the alias.',
      },
      {
        code: 'destination_inactive',
        destination: off.toLowerCase(),
        message: `The mailbox ${off.toLowerCase()} is inactive, so it receives nothing.`,
      },
      {
        code: 'destination_not_found',
        destination: nobody,
        message: `${nobody} has no mailbox, so it receives nothing.`,
      },
      {
        code: 'destination_domain_inactive',
        destination: `bo@${closed.name}`,
        message: `The domain of bo@${closed.name} is inactive, so it receives nothing.`,
      },
    ]);
    const [listed] = (await api.get(`/aliases?domain_id=${domain.id}`)).data;
    expect(listed.warnings).toEqual(data.warnings);
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
  });

  it('requires a domain_admin to give an assigned domain', async () => {
    const own = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    expectError(await own.get('/aliases'), 400, 'MISSING_FIELDS');
    expect((await own.get(`/aliases?domain_id=${domain.id}`)).status).toBe(200);
    expectError(await own.get(`/aliases?domain_id=${(await makeDomain()).id}`), 403, 'FORBIDDEN');
    expectError(await own.get(`/aliases?domain_id=${MISSING}`), 404, 'DOMAIN_NOT_FOUND');
  });
});

describe('tracing an address', () => {
  const trace = async (local: string) => (await api.get(`/aliases/resolve?address=${local}@${domain.name}`)).data;

  it('explains how the mail server routes it', async () => {
    expect(await trace('ann')).toMatchObject({ outcome: 'rejected', destinations: [], alias_id: null });
    const catchAll = await makeAlias(domain.id, '', 'x@far.example');
    expect(await trace('ann')).toMatchObject({
      outcome: 'catch_all',
      destinations: ['x@far.example'],
      alias_id: catchAll.id,
    });
    const alias = await makeAlias(domain.id, 'ann', `y@far.example,nobody@${domain.name}`);
    expect(await trace('Ann')).toMatchObject({
      outcome: 'alias',
      destinations: ['y@far.example'],
      dropped: [`nobody@${domain.name}`],
      alias_id: alias.id,
    });
    const mailbox = await makeMailbox(domain.id, 'ann');
    expect(await trace('ann')).toMatchObject({
      outcome: 'mailbox',
      mailbox_id: mailbox.id,
      destinations: [`ann@${domain.name}`],
      explanation: expect.stringContaining('precedence over the alias'),
    });
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    expect(await trace('ann')).toMatchObject({
      outcome: 'rejected',
      explanation: expect.stringContaining('inactive'),
    });
  });

  it('names what is inactive, and rejects an alias without a working destination', async () => {
    await makeAlias(domain.id, 'off', 'x@far.example', { active: false });
    expect((await trace('off')).explanation).toBe(
      'No active mailbox or alias receives mail for this address. Inactive: alias.',
    );
    await makeAlias(domain.id, 'dead', `nobody@${domain.name}`);
    expect(await trace('dead')).toMatchObject({ outcome: 'rejected', dropped: [`nobody@${domain.name}`] });
  });

  it('is limited to the caller’s domain scope', async () => {
    const unassigned = await keyClient({ role: 'domain_admin' });
    expectError(await unassigned.get(`/aliases/resolve?address=a@${domain.name}`), 403, 'FORBIDDEN');
    expectError(await api.get('/aliases/resolve?address=a@unmanaged.example'), 404, 'DOMAIN_NOT_FOUND');
    expectError(await api.get('/aliases/resolve?address=nonsense'), 400, 'VALIDATION_ERROR');
    expectError(await api.get('/aliases/resolve'), 400, 'MISSING_FIELDS');
  });
});
