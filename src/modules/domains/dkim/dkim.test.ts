import { createPrivateKey, createPublicKey } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { unseal } from '@/server/secrets/sealing';
import { db } from '@/test/database';
import { makeDkimKey, makeDomain, unique } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { startDns } from '@/test/servers/dns';
import { setSettings } from '@/test/settings';
import { dkimKeyBinding } from './keys';
import type { DkimKey } from './schema';

const dns = await startDns();
setSettings({ DNS_SERVERS: `127.0.0.1:${dns.port}` });
afterAll(() => dns.stop());

const MISSING_ID = '01a1f000-0000-7000-8000-000000000000';

const statuses = async (domainId: string) => {
  const rows = await db.dkimKey.findMany({ where: { domainId }, orderBy: { createdAt: 'asc' } });
  return Object.fromEntries(rows.map(({ selector, status }) => [selector, status]));
};

const selectorOf = async (id: string) => (await db.domain.findUniqueOrThrow({ where: { id } })).dkimSelector;

/** Makes a domain with an active key, and a client with the role admin. */
async function makeSigned() {
  const domain = await makeDomain();
  await makeDkimKey(domain.id, { selector: 'first' });
  const api = await keyClient({ role: 'admin' });
  const path = `/domains/${domain.id}/dkim`;
  return {
    domain,
    api,
    path,
    rotate: (body: object = {}) => api.post(`${path}/rotate`, { algorithm: 'ed25519', ...body }),
    activate: (selector: string) => api.post(`${path}/${selector}/activate`),
    discard: (selector: string) => api.delete(`${path}/${selector}`),
  };
}

describe('a new domain', () => {
  it('has an active RSA key whose DNS record matches the sealed private key', async () => {
    const api = await keyClient({ role: 'admin' });
    const { data: domain } = await api.post('/domains', { name: `${unique()}.example` });
    const [key, ...others] = (await api.get(`/domains/${domain.id}/dkim`)).data as DkimKey[];
    expect(others).toEqual([]);
    expect(key).toEqual({
      selector: domain.dkim_selector,
      algorithm: 'rsa-2048',
      status: 'active',
      dns_record: {
        type: 'TXT',
        name: `${domain.dkim_selector}._domainkey.${domain.name}`,
        value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/=]{392}$/),
      },
      published_at: null,
      created_at: key?.activated_at,
      activated_at: expect.any(String),
      retired_at: null,
    });
    const row = await db.dkimKey.findFirstOrThrow({ where: { domainId: domain.id } });
    const pem = unseal(dkimKeyBinding(row.id), row.privateKey);
    expect(createPrivateKey(pem).asymmetricKeyDetails?.modulusLength).toBe(2048);
    const publicKey = createPublicKey(pem).export({ type: 'spki', format: 'der' }).toString('base64');
    expect(key?.dns_record.value.endsWith(`p=${publicKey}`)).toBe(true);
  });

  it('leaves no key behind if it is rejected', async () => {
    const api = await keyClient({ role: 'admin' });
    const name = `${unique()}.example`;
    await api.post('/domains', { name });
    const count = await db.dkimKey.count();
    expectError(await api.post('/domains', { name }), 409, 'DOMAIN_EXISTS');
    expect(await db.dkimKey.count()).toBe(count);
  });
});

describe('rotating', () => {
  it('creates a pending RSA key with a record under a new selector, and keeps the active one', async () => {
    const { domain, path, api } = await makeSigned();
    const answer = await api.call('POST', `${path}/rotate`, { clock: { now: () => new Date('2027-03-04T05:06:07Z') } });
    expect(answer.data).toMatchObject({
      selector: expect.stringMatching(/^pr20270304[a-z2-9]{6}$/),
      algorithm: 'rsa-2048',
      status: 'pending',
      dns_record: { type: 'TXT', name: `${answer.data.selector}._domainkey.${domain.name}` },
      created_at: '2027-03-04T05:06:07.000Z',
      activated_at: null,
    });
    expect(await statuses(domain.id)).toEqual({ first: 'active', [answer.data.selector]: 'pending' });
    expect(await selectorOf(domain.id)).toBe('first');
  });

  it('accepts a selector in any letter case, and Ed25519 with a raw key in its record', async () => {
    const { domain, rotate } = await makeSigned();
    const { data } = await rotate({ selector: 'S2026-a' });
    expect(data).toMatchObject({ selector: 's2026-a', algorithm: 'ed25519' });
    expect(data.dns_record.value).toMatch(/^v=DKIM1; k=ed25519; p=[A-Za-z0-9+/]{43}=$/);
    const row = await db.dkimKey.findFirstOrThrow({ where: { domainId: domain.id, selector: 's2026-a' } });
    const key = createPublicKey(unseal(dkimKeyBinding(row.id), row.privateKey)).export({ format: 'jwk' });
    expect(Buffer.from(key.x as string, 'base64url').toString('base64')).toBe(row.publicKey);
  });

  it('is rejected while a key is pending, naming that key', async () => {
    const { rotate } = await makeSigned();
    await rotate({ selector: 'second' });
    const answer = expectError(await rotate({ selector: 'third' }), 409, 'CONFLICT');
    expect(answer.error.details).toMatchObject({ pending_selector: 'second' });
  });

  it('is rejected for a selector that this domain, not another, has used', async () => {
    const { rotate, activate } = await makeSigned();
    const answer = expectError(await rotate({ selector: 'FIRST' }), 409, 'CONFLICT');
    expect(answer.error.details.fields?.[0]?.path).toBe('selector');
    await rotate({ selector: 'second' });
    await activate('second');
    expectError(await rotate({ selector: 'first' }), 409, 'CONFLICT');
    expect((await (await makeSigned()).rotate({ selector: 'second' })).status).toBe(200);
  });

  it.each(['', '-a', 'a-', 'a.b', 'a b', 'a_b', 'ä', 'x'.repeat(64), 'a\u0000', 'a\r\n'])(
    'rejects %j as a selector',
    async (selector) => {
      const { rotate } = await makeSigned();
      const answer = expectError(await rotate({ selector }), 400, 'VALIDATION_ERROR');
      expect(answer.error.details.fields?.[0]?.path).toBe('selector');
    },
  );

  it('rejects other algorithms', async () => {
    const { rotate } = await makeSigned();
    expectError(await rotate({ algorithm: 'rsa-1024' }), 400, 'VALIDATION_ERROR');
  });

  it('succeeds once and answers 409 otherwise under concurrency', async () => {
    const { domain, rotate } = await makeSigned();
    const answers = await Promise.all(Array.from({ length: 6 }, () => rotate()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    for (const answer of answers.filter(({ status }) => status === 409)) expectError(answer, 409, 'CONFLICT');
    expect(await db.dkimKey.count({ where: { domainId: domain.id } })).toBe(2);
  });
});

describe('activating', () => {
  it('activates the pending key, retires the previous one, and is audited without the private key', async () => {
    const { domain, api, rotate, activate, path } = await makeSigned();
    await rotate({ selector: 'second' });
    const answer = await activate('SECOND');
    expect(answer.data).toMatchObject({ selector: 'second', status: 'active', activated_at: expect.any(String) });
    const [newest, before] = (await api.get(path)).data as DkimKey[];
    expect(newest).toEqual(answer.data);
    expect(before).toMatchObject({ selector: 'first', status: 'retired', retired_at: answer.data.activated_at });
    expect((await api.get(`/domains/${domain.id}`)).data.dkim_selector).toBe('second');

    const entries = await db.auditEntry.findMany({ where: { domainId: domain.id }, orderBy: { createdAt: 'asc' } });
    expect(entries).toMatchObject([
      { action: 'domain.rotate_dkim', resource: `domain:${domain.id}`, details: { after: { selector: 'second' } } },
      { action: 'domain.activate_dkim', details: { before: { status: 'pending' }, after: { status: 'active' } } },
    ]);
    const { privateKey, id } = await db.dkimKey.findFirstOrThrow({ where: { domainId: domain.id, status: 'active' } });
    const secret = unseal(dkimKeyBinding(id), privateKey).split('\n')[1] as string;
    expect(JSON.stringify([entries, answer, newest])).not.toContain(secret);
  });

  it('reactivates a retired key', async () => {
    const { domain, rotate, activate } = await makeSigned();
    await rotate({ selector: 'second' });
    await activate('second');
    expect((await activate('first')).data).toMatchObject({ status: 'active', retired_at: null });
    expect(await statuses(domain.id)).toEqual({ first: 'active', second: 'retired' });
    expect(await selectorOf(domain.id)).toBe('first');
  });

  it('works for the first key of a domain', async () => {
    const domain = await makeDomain();
    await makeDkimKey(domain.id, { selector: 'only', status: 'pending' });
    const api = await keyClient({ role: 'admin' });
    await api.post(`/domains/${domain.id}/dkim/only/activate`);
    expect(await statuses(domain.id)).toEqual({ only: 'active' });
  });

  it('is rejected for the active key, a key of another domain and a missing key', async () => {
    const { activate } = await makeSigned();
    const other = await makeDomain();
    await makeDkimKey(other.id, { selector: 'elsewhere', status: 'pending' });
    expectError(await activate('first'), 409, 'CONFLICT');
    expectError(await activate('elsewhere'), 404, 'NOT_FOUND');
    expectError(await activate('a_b'), 404, 'NOT_FOUND');
    expectError(await activate('a%00b'), 400, 'VALIDATION_ERROR');
  });

  it('succeeds once and answers 409 otherwise under concurrency', async () => {
    const { domain, rotate, activate } = await makeSigned();
    await rotate({ selector: 'second' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => activate('second')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    for (const answer of answers.filter(({ status }) => status === 409)) expectError(answer, 409, 'CONFLICT');
    expect(await statuses(domain.id)).toEqual({ first: 'retired', second: 'active' });
  });

  it('leaves one active key when different keys are activated concurrently', async () => {
    const { domain, rotate, activate } = await makeSigned();
    await makeDkimKey(domain.id, { selector: 'old', status: 'retired' });
    await rotate({ selector: 'second' });
    const answers = await Promise.all(['second', 'old', 'second', 'old'].map(activate));
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const active = await db.dkimKey.findMany({ where: { domainId: domain.id, status: 'active' } });
    expect(active.map(({ selector }) => selector)).toEqual([await selectorOf(domain.id)]);
  });

  it('returns 200, 404 or 409 while the domain is being deleted', async () => {
    for (let round = 0; round < 5; round++) {
      const { domain, api, rotate, activate } = await makeSigned();
      await rotate({ selector: 'second' });
      const deletion = api.delete(`/domains/${domain.id}`);
      const [deleted, ...others] = await Promise.all([deletion, activate('second'), rotate({ selector: 'third' })]);
      expect(deleted.status).toBe(200);
      for (const { status } of others) expect([200, 404, 409]).toContain(status);
      expect(await db.dkimKey.count({ where: { domainId: domain.id } })).toBe(0);
    }
  });
});

describe('permissions', () => {
  it('let a domain_admin read keys but not rotate or activate them', async () => {
    const { domain, path } = await makeSigned();
    const api = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    expect((await api.get(path)).data).toHaveLength(1);
    expectError(await api.post(`${path}/rotate`), 403, 'FORBIDDEN');
    expectError(await api.post(`${path}/first/activate`), 403, 'FORBIDDEN');
  });

  it('return 404 for a domain that is outside the scope or missing', async () => {
    const { path } = await makeSigned();
    const api = await keyClient({ role: 'domain_admin', domainIds: [(await makeDomain()).id] });
    const scoped = await keyClient({ role: 'admin', scopedDomainIds: [(await makeDomain()).id] });
    expectError(await api.get(path), 404, 'NOT_FOUND');
    expectError(await scoped.get(path), 404, 'NOT_FOUND');
    expectError(await scoped.post(`${path}/rotate`), 404, 'NOT_FOUND');
    expectError(await scoped.get(`/domains/${MISSING_ID}/dkim`), 404, 'NOT_FOUND');
    expect(await db.dkimKey.count({ where: { status: 'pending', domainId: path.split('/')[2] } })).toBe(0);
  });
});

describe('listing', () => {
  it('sorts newest first, paginates and filters by status', async () => {
    const { domain, api, path } = await makeSigned();
    for (let day = 1; day <= 4; day++) {
      const at = new Date(Date.now() - day * 86_400_000);
      await makeDkimKey(domain.id, { selector: `day${day}`, status: 'retired', at });
    }
    const first = await api.get(`${path}?limit=3`);
    const second = await api.get(`${path}?limit=3&cursor=${first.meta.pagination?.next_cursor}`);
    const selectors = [...first.data, ...second.data].map(({ selector }: DkimKey) => selector);
    expect(selectors).toEqual(['first', 'day1', 'day2', 'day3', 'day4']);
    const active = await api.get(`${path}?status=active`);
    expect(active.data.map(({ selector }: DkimKey) => selector)).toEqual(['first']);
    expectError(await api.get(`${path}?status=unknown`), 400, 'VALIDATION_ERROR');
  });
});

describe('a pending key', () => {
  it('can be discarded, after which another one with the same selector can be made', async () => {
    const { domain, api, rotate, discard } = await makeSigned();
    await rotate({ selector: 'second' });
    expect((await discard('second')).status).toBe(200);
    expect(await statuses(domain.id)).toEqual({ first: 'active' });
    expect((await rotate({ selector: 'second' })).status).toBe(200);
    const { data } = await api.get(`/audit?resource=domain:${domain.id}&action=domain.discard_dkim`);
    expect(data).toMatchObject([{ details: { before: { selector: 'second' }, after: null } }]);
  });

  it('is the only one that can be discarded', async () => {
    const { domain, rotate, activate, discard } = await makeSigned();
    expectError(await discard('first'), 409, 'CONFLICT');
    await rotate({ selector: 'second' });
    await activate('second');
    for (const selector of ['first', 'second']) expectError(await discard(selector), 409, 'CONFLICT');
    expectError(await discard('third'), 404, 'NOT_FOUND');
    expect(await statuses(domain.id)).toEqual({ first: 'retired', second: 'active' });
  });
});

describe('the lookup of a key', () => {
  it('says what is published now, for pending and retired keys alike', async () => {
    const { domain, api, path, rotate, activate } = await makeSigned();
    const { data: second } = await rotate({ selector: 'second' });
    const { name, value } = second.dns_record;
    const lookUp = async (selector = 'second') => (await api.get(`${path}/${selector}/dns`)).data;
    dns.zone = {};
    expect(await lookUp()).toMatchObject({ name, status: 'missing', found: [] });
    dns.zone = { [name]: { TXT: ['v=DKIM1; k=ed25519; p=AAAA'] } };
    const found = ['v=DKIM1; k=ed25519; p=AAAA'];
    expect(await lookUp()).toMatchObject({
      status: 'mismatch',
      found,
      message: 'The published DKIM key is not this one.',
    });
    dns.zone = { [name]: { TXT: [value] } };
    expect(await lookUp()).toMatchObject({
      status: 'ok',
      found: [value],
      message: 'The published DKIM key is this one.',
    });
    await activate('second');
    dns.faults = { [`first._domainkey.${domain.name}`]: 'servfail' };
    expect(await lookUp('first')).toMatchObject({ status: 'temporary_error' });
    dns.faults = {};
    expect(await lookUp('first')).toMatchObject({ status: 'missing' });
    expectError(await api.get(`${path}/third/dns`), 404, 'NOT_FOUND');
  });
});
