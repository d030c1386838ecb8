import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAdmin, makeDomain, unique } from '@/test/factories';
import { expectError, keyClient, sessionClient } from '@/test/rest';
import { sealAuditEntries } from './seal';

const SECRETS = /password_hash|passwordHash|argon2|paper boats|service_[0-9A-Za-z]{30}/;

describe('the audit log', () => {
  it('records a change with before, after, admin, IP address and API key', async () => {
    const api = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const { meta } = await api.patch(`/domains/${domain.id}`, { description: 'Changed' });
    const { data } = await api.get(`/audit?resource=domain:${domain.id}`);
    expect(data).toEqual([
      {
        id: expect.any(String),
        admin_id: api.admin.id,
        admin_email: api.admin.email,
        api_key_id: api.keyId,
        api_key_name: (await db.apiKey.findUniqueOrThrow({ where: { id: api.keyId } })).name,
        action: 'domain.update',
        resource: `domain:${domain.id}`,
        resource_name: domain.name,
        domain_id: domain.id,
        ip_address: expect.stringMatching(/^2001:db8:/),
        user_agent: '',
        request_id: meta.request_id,
        outcome: 'success',
        details: {
          before: expect.objectContaining({ description: '' }),
          after: expect.objectContaining({ description: 'Changed' }),
        },
        names: {},
        created_at: expect.any(String),
        hash: null,
        prev_hash: null,
      },
    ]);
  });

  it('records denied changes, but no reads', async () => {
    const api = await keyClient({ role: 'domain_admin' });
    expectError(await api.post('/domains', { name: `${unique()}.example` }), 403, 'FORBIDDEN');
    await api.get('/domains');
    const entries = await db.auditEntry.findMany({ where: { adminId: api.admin.id } });
    expect(entries).toMatchObject([{ action: 'domain.create', outcome: 'denied', details: { code: 'FORBIDDEN' } }]);
  });

  it('never contains a secret', async () => {
    const api = await sessionClient();
    const domain = await makeDomain();
    const password = 'paper boats on the canal';
    const { data: mailbox } = await api.post('/mailboxes', { domain_id: domain.id, local_part: 'ann', password });
    await api.patch(`/mailboxes/${mailbox.id}`, { password });
    const { data: admin } = await api.post('/admins', { email: `${unique()}@a.example`, password });
    await api.patch(`/admins/${admin.id}`, { password });
    await api.post('/api-keys', { name: 'x' });
    const entries = await db.auditEntry.findMany({ where: { adminId: api.admin.id } });
    expect(entries).toHaveLength(5);
    expect(JSON.stringify(entries)).not.toMatch(SECRETS);
  });

  it('filters by exact values and time', async () => {
    const api = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    for (const description of ['a', 'b', 'c']) await api.patch(`/domains/${domain.id}`, { description });
    const count = async (query: string) => (await api.get(`/audit?domain_id=${domain.id}&${query}`)).data.length;
    expect(await count(`admin_id=${api.admin.id}&action=domain.update`)).toBe(3);
    expect(await count('action=domain.delete')).toBe(0);
    expect(await count('action=domain.upd')).toBe(0);
    expect(await count('outcome=denied')).toBe(0);
    expect(await count(`admin_email=${encodeURIComponent(api.admin.email)}`)).toBe(3);
    expect(await count(`api_key_id=${api.keyId}`)).toBe(3);
    const [, middle] = (await api.get(`/audit?domain_id=${domain.id}`)).data;
    expect(await count(`request_id=${middle.request_id}`)).toBe(1);
    expect(await count('until=2020-01-01T00:00:00Z')).toBe(0);
    const first = await api.get(`/audit?domain_id=${domain.id}&limit=2`);
    expect(first.meta.pagination?.has_more).toBe(true);
    expect(await count('action=&outcome=&api_key_id=&since=&until=')).toBe(3);
  });

  it('includes the time of since and excludes the time of until, so that adjacent ranges share no entry', async () => {
    const api = await keyClient({ role: 'admin' });
    const resource = `domain:${unique()}`;
    for (const second of [1, 2, 3]) {
      const times = { createdAt: new Date(`2026-03-01T00:00:0${second}.000Z`) };
      const facts = { action: 'x', ipAddress: '', userAgent: '', requestId: api.admin.id, outcome: 'success' as const };
      await db.auditEntry.create({ data: { ...facts, ...times, resource, details: { second } } });
    }
    const found = async (range: string) =>
      (await api.get(`/audit?order=asc&resource=${resource}&${range}`)).data.map(
        ({ details }: { details: { second: number } }) => details.second,
      );
    expect(await found('since=2026-03-01T00:00:02.000Z')).toEqual([2, 3]);
    expect(await found('until=2026-03-01T00:00:02.000Z')).toEqual([1]);
    expect(await found('since=2026-03-01T00:00:01.000Z&until=2026-03-01T00:00:03.000Z')).toEqual([1, 2]);
  });

  it('shows a domain_admin only entries of assigned domains', async () => {
    const [own, foreign] = [await makeDomain(), await makeDomain()];
    const superAdmin = await keyClient();
    for (const { id } of [own, foreign]) await superAdmin.patch(`/domains/${id}`, { description: 'x' });
    const api = await keyClient({ role: 'domain_admin', domainIds: [own.id] });
    const { data } = await api.get('/audit?limit=200');
    expect(new Set(data.map(({ domain_id: domainId }: { domain_id: string }) => domainId))).toEqual(new Set([own.id]));
    expectError(await api.get(`/audit?domain_id=${foreign.id}`), 403, 'FORBIDDEN');
    expectError(await api.get('/audit/export'), 403, 'FORBIDDEN');
    expectError(await api.get('/audit/verify'), 403, 'FORBIDDEN');
  });

  it('rejects updates and deletions in the database', async () => {
    const api = await keyClient();
    await api.post('/domains', { name: `${unique()}.example` });
    const where = { adminId: api.admin.id };
    await expect(db.auditEntry.updateMany({ where, data: { action: 'x' } })).rejects.toThrow(/append-only/);
    await expect(db.auditEntry.deleteMany({ where })).rejects.toThrow(/append-only/);
    await expect(db.$executeRaw`TRUNCATE audit_entry`).rejects.toThrow(/append-only/);
    await sealAuditEntries(db, null);
    await expect(db.$executeRaw`UPDATE audit_entry SET hash = '\\x00'`).rejects.toThrow(/append-only/);
  });

  it('stays valid when an admin is deleted', async () => {
    const superAdmin = await sessionClient();
    const leaving = await keyClient({ role: 'admin' });
    await leaving.post('/domains', { name: `${unique()}.example` });
    await sealAuditEntries(db, null);
    await superAdmin.delete(`/admins/${leaving.admin.id}`);
    await sealAuditEntries(db, null);
    expect((await superAdmin.get('/audit/verify')).data).toMatchObject({ valid: true, unsealed: 0 });
    const { data } = await superAdmin.get(`/audit?admin_email=${encodeURIComponent(leaving.admin.email)}`);
    expect(data).toMatchObject([{ admin_id: null, action: 'domain.create' }]);
  });
});

describe('the export', () => {
  const lines = (text: string) => text.trimEnd().split(/\r?\n/);

  it('contains every entry as NDJSON, oldest first', async () => {
    const api = await keyClient();
    await api.post('/domains', { name: `${unique()}.example` });
    const response = await api.download('/audit/export');
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const entries = lines(await response.text()).map((line) => JSON.parse(line));
    expect(entries).toHaveLength(await db.auditEntry.count());
    expect(entries.map(({ id }) => id)).toEqual(entries.map(({ id }) => id).toSorted());
  });

  it('contains no formula cells as CSV', async () => {
    const api = await keyClient();
    const admin = await makeAdmin({ email: `=cmd|' /C calc'!A0${unique()}@a.example` });
    const data = {
      adminId: admin.id,
      adminEmail: admin.email,
      action: '+a',
      resource: '@x',
      ipAddress: '-1',
      userAgent: '=1+1',
      requestId: admin.id,
      outcome: 'success' as const,
      details: { note: 'a "quoted", text' },
    };
    await db.auditEntry.create({ data });
    const response = await api.download('/audit/export?format=csv');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const line = lines(await response.text()).find((text) => text.includes(admin.email)) ?? '';
    for (const cell of ["'+a", "'@x", "'-1", "'=1+1", `'${admin.email}`]) expect(line).toContain(cell);
    expect(line).toContain('"{""note"":""a \\""quoted\\"", text""}"');
    expectError(await api.get('/audit/export?format=xml'), 400, 'VALIDATION_ERROR');
  });
});
