import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, unique } from '@/test/factories';
import { client, expectError, keyClient } from '@/test/rest';

const MISSING_ID = '01a1f000-0000-7000-8000-000000000000';

describe('creating a domain', () => {
  it('returns 201 with the full record and its defaults', async () => {
    const api = await keyClient({ role: 'admin' });
    const name = `${unique()}.example`;
    const answer = await api.post('/domains', { name });
    expect(answer.status).toBe(201);
    expect(answer.data).toMatchObject({
      name,
      active: true,
      description: '',
      max_mailboxes: null,
      dns_status: 'unchecked',
      mailbox_count: 0,
      alias_count: 0,
    });
    expect((await api.get(`/domains/${answer.data.id}`)).data).toEqual(answer.data);
  });

  it('lower-cases and IDNA-encodes the name', async () => {
    const api = await keyClient();
    const suffix = unique();
    const answer = await api.post('/domains', { name: `Bücher-${suffix}.Example` });
    expect(answer.data.name).toMatch(/^xn--bcher-.*\.example$/);
  });

  it('rejects a name that already exists, in any spelling', async () => {
    const api = await keyClient();
    const name = `${unique()}.example`;
    await api.post('/domains', { name });
    const answer = expectError(await api.post('/domains', { name: name.toUpperCase() }), 409, 'DOMAIN_EXISTS');
    expect(answer.error.details.fields?.[0]?.path).toBe('name');
  });

  it('creates one domain when the same name is added concurrently', async () => {
    const api = await keyClient();
    const name = `${unique()}.example`;
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.post('/domains', { name })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  it.each([
    ['localhost', 'name'],
    ['-a.example', 'name'],
    ['a b.example', 'name'],
    ['1.2.3.4', 'name'],
    ['a.example/path', 'name'],
    ['a.example\r\nX: y', 'name'],
  ])('rejects %j as a name and names the field', async (name, path) => {
    const api = await keyClient();
    const answer = expectError(await api.post('/domains', { name }), 400, 'VALIDATION_ERROR');
    expect(answer.error.details.fields).toEqual([{ path, message: expect.any(String) }]);
  });

  it('rejects unknown fields, wrong types and numbers out of range', async () => {
    const api = await keyClient();
    const body = { name: 'a.example', color: 'red', active: 'yes', max_aliases: -1, default_quota_bytes: 1.5 };
    const answer = expectError(await api.post('/domains', body), 400, 'VALIDATION_ERROR');
    const paths = answer.error.details.fields?.map((field) => field.path).sort();
    expect(paths).toEqual(['active', 'color', 'default_quota_bytes', 'max_aliases']);
  });

  it.each([[{}], [{ name: '' }], [{ name: null }]])('returns MISSING_FIELDS for %j', async (body) => {
    const api = await keyClient();
    const answer = expectError(await api.post('/domains', body), 400, 'MISSING_FIELDS');
    expect(answer.error.details.fields?.map((field) => field.path)).toEqual(['name']);
  });

  it('requires the role admin', async () => {
    const api = await keyClient({ role: 'domain_admin' });
    const answer = expectError(await api.post('/domains', { name: 'a.example' }), 403, 'FORBIDDEN');
    expect(answer.error.details.required_role).toBe('admin');
  });

  it('rejects a domain-scoped key', async () => {
    const domain = await makeDomain();
    const api = await keyClient({ role: 'admin', scopedDomainIds: [domain.id] });
    expectError(await api.post('/domains', { name: `${unique()}.example` }), 403, 'API_KEY_DOMAIN_SCOPE');
  });
});

describe('reading domains', () => {
  it('shows a domain_admin the assigned domains and returns 404 for others', async () => {
    const [mine, other] = [await makeDomain(), await makeDomain()];
    const api = await keyClient({ role: 'domain_admin', domainIds: [mine.id] });
    expect((await api.get('/domains')).data.map((domain: { id: string }) => domain.id)).toEqual([mine.id]);
    expect((await api.get(`/domains/${mine.id}`)).status).toBe(200);
    expectError(await api.get(`/domains/${other.id}`), 404, 'NOT_FOUND');
    expectError(await api.get(`/domains/${MISSING_ID}`), 404, 'NOT_FOUND');
  });

  it('limits a scoped key to its scope', async () => {
    const [mine, other] = [await makeDomain(), await makeDomain()];
    const api = await keyClient({ role: 'admin', scopedDomainIds: [mine.id] });
    expect((await api.get('/domains')).data).toHaveLength(1);
    expectError(await api.get(`/domains/${other.id}`), 404, 'NOT_FOUND');
  });

  it('filters by active, by the state of DNS and by part of the name', async () => {
    const api = await keyClient();
    const suffix = unique();
    const active = await makeDomain({ name: `b-${suffix}.example` });
    const inactive = await makeDomain({ name: `a-${suffix}.example`, active: false });
    const ids = async (query: string) =>
      (await api.get(`/domains?q=${suffix}${query}`)).data.map((domain: { id: string }) => domain.id);
    expect(await ids('&active=true')).toEqual([active.id]);
    expect(await ids('&active=false')).toEqual([inactive.id]);
    await db.domain.update({ where: { id: active.id }, data: { dnsStatus: 'error' } });
    expect(await ids('&dns_status=error')).toEqual([active.id]);
    expect(await ids('&dns_status=unchecked')).toEqual([inactive.id]);
    expect(await ids('&sort=name&order=asc')).toEqual([inactive.id, active.id]);
  });

  it('finds one by its whole name, in letters of any language and case, and not those whose names contain it', async () => {
    const api = await keyClient();
    const suffix = unique();
    const { id } = await makeDomain({ name: `xn--bcher-kva.${suffix}.example` });
    await makeDomain({ name: `shop.xn--bcher-kva.${suffix}.example` });
    const found = async (name: string) =>
      (await api.get(`/domains?name=${encodeURIComponent(name)}`)).data.map((domain: { id: string }) => domain.id);
    expect(await found(`xn--bcher-kva.${suffix}.example`)).toEqual([id]);
    expect(await found(` B\u00dcCHER.${suffix}.Example.`)).toEqual([id]);
    expect(await found(`cher-kva.${suffix}.example`)).toEqual([]);
    expect(await found('not a name')).toEqual([]);
  });

  it('requires credentials', async () => {
    expectError(await client().get('/domains'), 401, 'AUTH_REQUIRED');
  });
});

describe('updating a domain', () => {
  it('changes only the supplied fields and audits before and after', async () => {
    const domain = await makeDomain();
    const api = await keyClient({ role: 'admin' });
    const answer = await api.patch(`/domains/${domain.id}`, { active: false, hourly_send_limit: 10 });
    expect(answer.data).toMatchObject({ name: domain.name, active: false, hourly_send_limit: 10, description: '' });
    const entry = await db.auditEntry.findFirstOrThrow({ where: { domainId: domain.id } });
    expect(entry).toMatchObject({
      action: 'domain.update',
      resource: `domain:${domain.id}`,
      outcome: 'success',
      adminId: api.admin.id,
      apiKeyId: api.keyId,
      requestId: answer.meta.request_id,
    });
    expect(entry.details).toMatchObject({ before: { active: true }, after: { active: false, hourly_send_limit: 10 } });
  });

  it('clears a limit with null, and leaves other fields as they are', async () => {
    const domain = await makeDomain();
    const api = await keyClient();
    await api.patch(`/domains/${domain.id}`, { max_aliases: 5 });
    expect((await api.patch(`/domains/${domain.id}`, { max_aliases: null })).data.max_aliases).toBeNull();
    const { data } = await api.patch(`/domains/${domain.id}`, { active: null, description: null, max_mailboxes: 7 });
    expect(data).toMatchObject({ active: true, description: '', max_mailboxes: 7 });
  });

  it('rejects an id in the body and a new name', async () => {
    const domain = await makeDomain();
    const api = await keyClient();
    expectError(await api.patch(`/domains/${domain.id}`, { id: domain.id }), 400, 'VALIDATION_ERROR');
    expectError(await api.patch(`/domains/${domain.id}`, { name: 'b.example' }), 400, 'VALIDATION_ERROR');
  });

  it('audits a rejected change', async () => {
    const domain = await makeDomain();
    const api = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    expectError(await api.patch(`/domains/${domain.id}`, { active: false }), 403, 'FORBIDDEN');
    const entry = await db.auditEntry.findFirstOrThrow({ where: { adminId: api.admin.id } });
    expect(entry).toMatchObject({ action: 'domain.update', outcome: 'denied', resource: `domain:${domain.id}` });
    expect((await db.domain.findUniqueOrThrow({ where: { id: domain.id } })).active).toBe(true);
  });
});

describe('deleting a domain', () => {
  it('deletes it and records an audit entry', async () => {
    const domain = await makeDomain();
    const api = await keyClient({ role: 'admin' });
    expect((await api.delete(`/domains/${domain.id}`)).data.message).toContain(domain.name);
    expectError(await api.get(`/domains/${domain.id}`), 404, 'NOT_FOUND');
    const entry = await db.auditEntry.findFirstOrThrow({ where: { domainId: domain.id } });
    expect(entry.details).toMatchObject({ before: { name: domain.name }, after: null });
  });

  it.each(['mailbox', 'alias'] as const)('is rejected while it has a %s', async (kind) => {
    const domain = await makeDomain();
    if (kind === 'mailbox') {
      await db.mailbox.create({ data: { domainId: domain.id, localPart: 'ann', passwordHash: 'x' } });
    } else {
      await db.alias.create({ data: { domainId: domain.id, sourceLocalPart: 'info', destination: 'ann@a.example' } });
    }
    const api = await keyClient({ role: 'admin' });
    expectError(await api.delete(`/domains/${domain.id}`), 409, 'CONFLICT');
    expect(await db.domain.count({ where: { id: domain.id } })).toBe(1);
  });
});

describe('concurrent requests', () => {
  it('delete a domain once, and return 404 otherwise', async () => {
    const api = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.delete(`/domains/${domain.id}`)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
  });

  it('update a domain that is being deleted, or return 404', async () => {
    const api = await keyClient({ role: 'admin' });
    for (let round = 0; round < 5; round++) {
      const domain = await makeDomain();
      const patches = Array.from({ length: 4 }, () => api.patch(`/domains/${domain.id}`, { description: 'x' }));
      const answers = await Promise.all([...patches, api.delete(`/domains/${domain.id}`)]);
      for (const { status } of answers) expect([200, 404]).toContain(status);
    }
  });
});

describe('the report mailbox', () => {
  it('is a mailbox of the same domain, and empty once the mailbox is deleted', async () => {
    const api = await keyClient();
    const [domain, other] = await Promise.all([makeDomain(), makeDomain()]);
    const [own, foreign] = await Promise.all([makeMailbox(domain.id, 'reports'), makeMailbox(other.id, 'reports')]);
    const refused = await api.patch(`/domains/${domain.id}`, { report_mailbox_id: foreign.id });
    const { error } = expectError(refused, 400, 'VALIDATION_ERROR');
    expect(error.details.fields?.map(({ path }) => path)).toEqual(['report_mailbox_id']);
    const updated = await api.patch(`/domains/${domain.id}`, { report_mailbox_id: own.id });
    expect(updated.data.report_mailbox_id).toBe(own.id);
    await db.mailbox.delete({ where: { id: own.id } });
    expect((await api.get(`/domains/${domain.id}`)).data.report_mailbox_id).toBeNull();
  });
});

describe('other MX hosts', () => {
  it('are stored once each in one spelling, and have the DNS checked again', async () => {
    const api = await keyClient({ role: 'admin' });
    const { id } = await makeDomain();
    await db.$executeRaw`UPDATE domain SET next_dns_check_at = now() + interval '1 hour' WHERE id = ${id}::uuid`;
    const hosts = ['MX.Backup.example', 'mx.backup.example', 'bücher.example'];
    const { data } = await api.patch(`/domains/${id}`, { other_mx_hosts: hosts });
    expect(data.other_mx_hosts).toEqual(['mx.backup.example', 'xn--bcher-kva.example']);
    const [{ isDue }] = await db.$queryRaw<[{ isDue: boolean }]>`
      SELECT next_dns_check_at <= now() + interval '1 second' AS "isDue" FROM domain WHERE id = ${id}::uuid`;
    expect(isDue).toBe(true);
    expect((await api.patch(`/domains/${id}`, { other_mx_hosts: [] })).data.other_mx_hosts).toEqual([]);
  });

  it.each([[['10 mx.backup.example']], [['192.0.2.1']], [Array.from({ length: 11 }, (_, n) => `mx${n}.far.example`)]])(
    'are names, and few: %j is refused',
    async (hosts) => {
      const api = await keyClient({ role: 'admin' });
      const { id } = await makeDomain();
      expectError(await api.patch(`/domains/${id}`, { other_mx_hosts: hosts }), 400, 'VALIDATION_ERROR');
    },
  );
});
