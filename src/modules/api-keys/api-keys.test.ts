import { describe, expect, it, onTestFinished } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { recordHeartbeat } from '@/modules/mail-server/requests';
import { sha256 } from '@/server/secrets/crypto';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeAdmin, makeApiKey, makeDomain, unique } from '@/test/factories';
import { untilBlocked } from '@/test/locks';
import { type Answer, type Client, client, expectError, keyClient, sessionClient } from '@/test/rest';

const DAY_MS = 86_400_000;

describe('listing API keys', () => {
  it('finds them by part of the name or the email, the beginning of the key, and whether they are expired', async () => {
    const [ann, bo] = [await makeAdmin(), await makeAdmin()];
    const { row: shop } = await makeApiKey(ann.id, { name: 'Shop 50%' });
    const past = new Date(Date.now() - DAY_MS);
    const { row: old } = await makeApiKey(bo.id, { name: 'shop, before', expiresAt: past });
    const api = await keyClient();
    const names = async (query: string) =>
      (await api.get(`/api-keys?order=asc&${query}`)).data.map(({ name }: { name: string }) => name);
    expect(await names('q=SHOP')).toEqual([shop.name, old.name]);
    expect(await names('q=50%25')).toEqual([shop.name]);
    expect(await names('q=p_5')).toEqual([]);
    expect(await names(`q=${bo.email}`)).toEqual([old.name]);
    expect(await names(`q=${shop.keyPrefix}`)).toEqual([shop.name]);
    expect(await names('q=shop&expired=true')).toEqual([old.name]);
    expect(await names('q=shop&expired=false')).toEqual([shop.name]);
  });

  it('finds none of other admins for an admin', async () => {
    const other = await makeAdmin();
    await makeApiKey(other.id, { name: 'Shop' });
    const api = await keyClient({ role: 'admin' });
    expect((await api.get('/api-keys?q=shop')).data).toEqual([]);
  });
});

describe('creating an API key', () => {
  it('is refused beyond 1,000 of an admin, until one is revoked', async () => {
    const browser = await sessionClient({ role: 'admin' });
    await db.apiKey.createMany({
      data: Array.from({ length: 1_000 }, (_, n) => ({
        adminId: browser.admin.id,
        name: `key ${n}`,
        keyPrefix: 'service_x',
        keyHash: sha256(`${browser.admin.id} ${n}`),
      })),
    });
    expectError(await browser.post('/api-keys', { name: 'One more' }), 409, 'CONFLICT');
    const { id } = await db.apiKey.findFirstOrThrow({ where: { adminId: browser.admin.id } });
    await browser.call('DELETE', `/api-keys/${id}`);
    expect((await browser.post('/api-keys', { name: 'One more' })).status).toBe(201);
  });

  it('returns how a key sends by SMTP, if it may and a mail server is attached', async () => {
    const browser = await sessionClient({ role: 'admin' });
    const smtpFor = async (permissions: string[]) =>
      (await browser.post('/api-keys', { name: 'Shop', permissions })).data.smtp;
    expect(await smtpFor(['send'])).toBeNull();
    const host = `${unique()}.example`;
    await recordHeartbeat(db, { host, instance: uuidv7(), version: '1' });
    onTestFinished(async () => void (await db.mailAgent.deleteMany({ where: { host } })));
    const smtp = { host: expect.any(String), ports: { tls: 465, starttls: 587 }, user_name: 'apikey' };
    expect(await smtpFor(['send'])).toEqual(smtp);
    expect(await smtpFor(['read', 'manage'])).toBeNull();
  });

  it('returns 201 with the full key, once, and a record with the documented defaults', async () => {
    const browser = await sessionClient({ role: 'admin' });
    const answer = await browser.post('/api-keys', { name: 'Shop backend' });
    expect(answer.status).toBe(201);
    const { key, api_key: record } = answer.data;
    expect(key).toMatch(/^service_[0-9A-Za-z]{38}$/);
    expect(record).toEqual({
      id: expect.any(String),
      admin_id: browser.admin.id,
      admin_email: browser.admin.email,
      name: 'Shop backend',
      key_prefix: key.slice(0, 16),
      scoped_domain_ids: [],
      rate_limit: 60,
      permissions: ['send', 'read', 'manage'],
      allowed_ips: [],
      senders: [],
      expires_at: null,
      created_at: expect.any(String),
    });
    expect((await client({ authorization: `Bearer ${key}` }).get('/auth/me')).data.id).toBe(browser.admin.id);
    const row = await db.apiKey.findUniqueOrThrow({ where: { id: record.id } });
    expect(Buffer.from(row.keyHash)).toEqual(Buffer.from(sha256(key)));
    expect(JSON.stringify(await db.auditEntry.findMany({ where: { adminId: browser.admin.id } }))).not.toContain(key);
  });

  it('sets the expiry in days, and none for 0', async () => {
    const browser = await sessionClient();
    const clock = { now: () => new Date('2026-03-01T00:00:00.000Z') };
    await db.session.update({ where: { id: browser.session.id }, data: { expiresAt: new Date('2027-01-01') } });
    const create = (days: number) =>
      browser.call('POST', '/api-keys', { body: { name: 'x', expires_in_days: days }, clock });
    expect((await create(90)).data.api_key.expires_at).toBe(
      new Date(clock.now().getTime() + 90 * DAY_MS).toISOString(),
    );
    expect((await create(0)).data.api_key.expires_at).toBeNull();
  });

  it.each([
    [{}, 'MISSING_FIELDS', 'name'],
    [{ name: '' }, 'MISSING_FIELDS', 'name'],
    [{ name: 'x'.repeat(101) }, 'VALIDATION_ERROR', 'name'],
    [{ name: 'a\nb' }, 'VALIDATION_ERROR', 'name'],
    [{ name: 'x', rate_limit: -1 }, 'VALIDATION_ERROR', 'rate_limit'],
    [{ name: 'x', rate_limit: '60' }, 'VALIDATION_ERROR', 'rate_limit'],
    [{ name: 'x', expires_in_days: 0.5 }, 'VALIDATION_ERROR', 'expires_in_days'],
    [{ name: 'x', scoped_domain_ids: ['nope'] }, 'VALIDATION_ERROR', 'scoped_domain_ids.0'],
    [{ name: 'x', scoped_domain_ids: 'all' }, 'VALIDATION_ERROR', 'scoped_domain_ids'],
  ] as const)('rejects %j with %s on %s', async (body, code, path) => {
    const browser = await sessionClient();
    const answer = expectError(await browser.post('/api-keys', body), 400, code);
    expect(answer.error.details.fields?.map((field) => field.path)).toEqual([path]);
  });

  it('rejects a domain that is missing or outside the domain scope', async () => {
    const domain = await makeDomain();
    const browser = await sessionClient({ role: 'domain_admin' });
    const create = (id: string) => browser.post('/api-keys', { name: 'x', scoped_domain_ids: [id] });
    expectError(await create('01a1f000-0000-7000-8000-000000000000'), 404, 'DOMAIN_NOT_FOUND');
    expectError(await create(domain.id), 403, 'FORBIDDEN');
  });

  it('with a key never grants more access than that key has', async () => {
    const [mine, other] = [await makeDomain(), await makeDomain()];
    const admin = (await keyClient()).admin;
    const expiresAt = new Date(Date.now() + 10 * DAY_MS);
    const { key } = await makeApiKey(admin.id, { scopedDomainIds: [mine.id], rateLimit: 30, expiresAt });
    const api = client({ authorization: `Bearer ${key}` });
    const narrow = { name: 'x', scoped_domain_ids: [mine.id], rate_limit: 30, expires_in_days: 5 };
    expect((await api.post('/api-keys', narrow)).status).toBe(201);
    expectError(await api.post('/api-keys', { ...narrow, scoped_domain_ids: [other.id] }), 403, 'API_KEY_DOMAIN_SCOPE');
    expectError(await api.post('/api-keys', { ...narrow, scoped_domain_ids: [] }), 403, 'FORBIDDEN');
    expectError(await api.post('/api-keys', { ...narrow, rate_limit: 31 }), 403, 'FORBIDDEN');
    expectError(await api.post('/api-keys', { ...narrow, rate_limit: 0 }), 403, 'FORBIDDEN');
    expectError(await api.post('/api-keys', { ...narrow, expires_in_days: 0 }), 403, 'FORBIDDEN');
    expectError(await api.post('/api-keys', { ...narrow, expires_in_days: 11 }), 403, 'FORBIDDEN');
  });
});

describe('listing API keys', () => {
  it('shows an admin their own keys, a super_admin all, and never the key itself', async () => {
    const one = await keyClient({ role: 'admin' });
    const two = await keyClient({ role: 'admin' });
    const ids = async (api: typeof one) =>
      (await api.get('/api-keys?limit=200')).data.map((key: { id: string }) => key.id);
    expect(await ids(one)).toEqual([one.keyId]);
    const root = await keyClient({ role: 'super_admin' });
    expect(await ids(root)).toEqual(expect.arrayContaining([one.keyId, two.keyId, root.keyId]));
    const answer = await one.get('/api-keys');
    expect(JSON.stringify(answer.data)).not.toContain(one.key);
    expect(answer.data[0].last_used_at).toEqual(expect.any(String));
  });

  it('shows a scoped key only its descendants', async () => {
    const mine = await makeDomain();
    const api = await keyClient({ role: 'super_admin', scopedDomainIds: [mine.id] });
    await makeApiKey(api.admin.id, { scopedDomainIds: [mine.id] });
    const child = await createKey(api, { scoped_domain_ids: [mine.id] });
    const grandchild = await createKey(child, { scoped_domain_ids: [mine.id] });
    expect(await listIds(api)).toEqual([grandchild.id, child.id]);
    expect(await listIds(child)).toEqual([grandchild.id]);
    expect(await listIds(grandchild)).toEqual([]);
  });

  it('shows an unscoped key the same as its admin', async () => {
    const api = await keyClient({ role: 'admin' });
    const sibling = await makeApiKey(api.admin.id);
    const child = await createKey(api);
    expect((await listIds(child)).sort()).toEqual([api.keyId, sibling.row.id, child.id].sort());
  });
});

describe('revoking an API key', () => {
  it('takes effect immediately and is audited', async () => {
    const browser = await sessionClient({ role: 'admin' });
    const { key, row } = await makeApiKey(browser.admin.id);
    const api = client({ authorization: `Bearer ${key}` });
    expect((await api.get('/auth/me')).status).toBe(200);
    expect((await browser.delete(`/api-keys/${row.id}`)).status).toBe(200);
    expectError(await api.get('/auth/me'), 401, 'API_KEY_INVALID');
    const entry = await db.auditEntry.findFirst({ where: { resource: `api_key:${row.id}` } });
    expect(entry).toMatchObject({ action: 'api_key.delete', outcome: 'success' });
  });

  it('rejects a call whose body has not arrived yet', async () => {
    const api = await keyClient();
    const clock = manualClock(new Date().toISOString());
    const name = `${unique()}.example`;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      await db.apiKey.deleteMany({ where: { adminId: api.admin.id } });
      clock.advance(1);
      controller.enqueue(new TextEncoder().encode(JSON.stringify({ name })));
      controller.close();
    };
    const rawBody = new ReadableStream({ pull }, { highWaterMark: 0 });
    expectError(await api.call('POST', '/domains', { rawBody, clock }), 401, 'API_KEY_INVALID');
    expect(await db.domain.count({ where: { name } })).toBe(0);
  });

  it('of another admin requires super_admin; others get an audited 404', async () => {
    const owner = await keyClient({ role: 'admin' });
    const other = await keyClient({ role: 'admin' });
    expectError(await other.delete(`/api-keys/${owner.keyId}`), 404, 'NOT_FOUND');
    const denied = await db.auditEntry.findFirst({ where: { adminId: other.admin.id } });
    expect(denied).toMatchObject({ action: 'api_key.delete', outcome: 'denied', resource: `api_key:${owner.keyId}` });
    const root = await keyClient({ role: 'super_admin' });
    expect((await root.delete(`/api-keys/${owner.keyId}`)).status).toBe(200);
  });
});

describe('a key created with a key', () => {
  it('is revoked with it, and so are its descendants', async () => {
    const api = await keyClient({ role: 'admin' });
    const child = await createKey(api);
    const grandchild = await createKey(child);
    const other = await createKey(api);
    expect((await api.delete(`/api-keys/${child.id}`)).data.message).toContain('along with the keys created with it');
    expectError(await child.get('/auth/me'), 401, 'API_KEY_INVALID');
    expectError(await grandchild.get('/auth/me'), 401, 'API_KEY_INVALID');
    expect((await other.get('/auth/me')).status).toBe(200);
    const entry = await db.auditEntry.findFirstOrThrow({
      where: { resource: `api_key:${child.id}`, action: 'api_key.delete' },
    });
    expect(entry.details).toMatchObject({ revoked_with_it: [grandchild.id] });
  });

  it('can be revoked by the scoped key that created it, which can revoke no others, not even itself', async () => {
    const domain = await makeDomain();
    const api = await keyClient({ role: 'super_admin', scopedDomainIds: [domain.id] });
    const sibling = await makeApiKey(api.admin.id, { scopedDomainIds: [domain.id] });
    const child = await createKey(api, { scoped_domain_ids: [domain.id] });
    const grandchild = await createKey(child, { scoped_domain_ids: [domain.id] });
    for (const id of [api.keyId, sibling.row.id]) {
      expectError(await api.delete(`/api-keys/${id}`), 404, 'NOT_FOUND');
    }
    expectError(await grandchild.delete(`/api-keys/${child.id}`), 404, 'NOT_FOUND');
    expect((await api.delete(`/api-keys/${grandchild.id}`)).status).toBe(200);
    expect((await api.delete(`/api-keys/${child.id}`)).status).toBe(200);
  });

  it('counts towards its own rate limit and that of each ancestor', async () => {
    const api = await keyClient({ rateLimit: 7 });
    const child = await createKey(api, { rate_limit: 6 });
    const grandchild = await createKey(child, { rate_limit: 3 });
    // So far the top key has made one request, and its child another.
    const first = await grandchild.get('/auth/me');
    expect(first.headers.get('ratelimit-limit')).toBe('3');
    expect(first.headers.get('ratelimit-remaining')).toBe('2');
    await grandchild.get('/auth/me');
    await grandchild.get('/auth/me');
    expectError(await grandchild.get('/auth/me'), 429, 'RATE_LIMIT_EXCEEDED');
    // A request rejected by a key's own limit doesn't count towards the ancestors' limits.
    expect((await child.get('/auth/me')).headers.get('ratelimit-remaining')).toBe('1');
    expect((await api.get('/auth/me')).headers.get('ratelimit-remaining')).toBe('0');
    const rejected = expectError(await child.get('/auth/me'), 429, 'RATE_LIMIT_EXCEEDED');
    expect(rejected.error.message).toContain('The API key that created this one exceeded 7 requests per minute');
    expect(rejected.headers.get('ratelimit-limit')).toBe('7');
  });

  it('without a rate limit counts towards that of its parent', async () => {
    const admin = await makeAdmin();
    const top = await makeApiKey(admin.id, { rateLimit: 2 });
    const { key, row } = await makeApiKey(admin.id);
    await db.apiKey.update({ where: { id: row.id }, data: { parentId: top.row.id, ancestorIds: [top.row.id] } });
    const api = client({ authorization: `Bearer ${key}` });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await api.get('/auth/me')).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('can be nested five levels deep', async () => {
    let last: Client = await keyClient();
    for (let i = 0; i < 5; i++) last = await createKey(last);
    const rejected = expectError(await last.post('/api-keys', { name: 'x', rate_limit: 0 }), 403, 'FORBIDDEN');
    expect(rejected.error.message).toContain('at most 5 levels deep');
  });

  it('is not created if the parent is revoked at the same time', async () => {
    const api = await keyClient();
    let minting: ReturnType<typeof api.post> | undefined;
    await db.$transaction(async (tx) => {
      await tx.apiKey.delete({ where: { id: api.keyId } });
      minting = api.post('/api-keys', { name: 'x' });
      await untilBlocked();
    });
    expectError((await minting) as Answer, 401, 'API_KEY_INVALID');
    expect(await db.apiKey.count({ where: { adminId: api.admin.id } })).toBe(0);
  });

  it('is revoked if it was created during the revocation of its parent', async () => {
    const browser = await sessionClient();
    const { row } = await makeApiKey(browser.admin.id);
    const child = await makeApiKey(browser.admin.id);
    let revoking: ReturnType<typeof browser.delete> | undefined;
    await db.$transaction(async (tx) => {
      await tx.apiKey.update({ where: { id: child.row.id }, data: { parentId: row.id, ancestorIds: [row.id] } });
      revoking = browser.delete(`/api-keys/${row.id}`);
      await untilBlocked();
    });
    expect((await revoking)?.status).toBe(200);
    expect(await db.apiKey.count({ where: { adminId: browser.admin.id } })).toBe(0);
  });

  it('is not created if its session ends at the same time', async () => {
    const browser = await sessionClient();
    const { creating } = await db.$transaction(async (tx) => {
      await tx.admin.update({ where: { id: browser.admin.id }, data: { passwordHash: 'new' } });
      const answer = browser.post('/api-keys', { name: 'x' });
      await untilBlocked();
      await tx.session.deleteMany({ where: { adminId: browser.admin.id } });
      return { creating: answer };
    });
    expectError(await creating, 401, 'SESSION_INVALID');
    expect(await db.apiKey.count({ where: { adminId: browser.admin.id } })).toBe(0);
  });

  it('never outlives its parent, whichever request wins', async () => {
    const browser = await sessionClient();
    for (let i = 0; i < 15; i++) {
      const { key, row } = await makeApiKey(browser.admin.id);
      const api = client({ authorization: `Bearer ${key}` });
      const [made, revoked] = await Promise.all([
        api.post('/api-keys', { name: 'x' }),
        browser.delete(`/api-keys/${row.id}`),
      ]);
      expect([201, 401]).toContain(made.status);
      expect(revoked.status).toBe(200);
    }
    expect(await db.apiKey.count({ where: { adminId: browser.admin.id } })).toBe(0);
  });
});

it('exactly one of several concurrent revocations succeeds', async () => {
  const browser = await sessionClient();
  const { row } = await makeApiKey(browser.admin.id);
  const answers = await Promise.all(Array.from({ length: 6 }, () => browser.delete(`/api-keys/${row.id}`)));
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
});

async function createKey(api: Client, over: object = {}) {
  const answer = await api.post('/api-keys', { name: 'minted', rate_limit: 0, ...over });
  expect(answer.status).toBe(201);
  return { ...client({ authorization: `Bearer ${answer.data.key}` }), id: answer.data.api_key.id as string };
}

async function listIds(api: Client): Promise<string[]> {
  return (await api.get('/api-keys?limit=200')).data.map((key: { id: string }) => key.id);
}
