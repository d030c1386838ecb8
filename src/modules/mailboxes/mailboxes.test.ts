import { randomUUID } from 'node:crypto';
import { verify } from '@node-rs/argon2';
import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

const MISSING = '019ac000-0000-7000-8000-000000000000';
const PASSWORD = 'paper boats on the canal';

let api: Awaited<ReturnType<typeof keyClient>>;
let domain: { id: string; name: string };

beforeEach(async () => {
  api = await keyClient({ role: 'admin' });
  domain = await makeDomain();
});

const create = (localPart: string, over: object = {}) =>
  api.post('/mailboxes', { domain_id: domain.id, local_part: localPart, password: PASSWORD, ...over });
const stored = (id: string) => db.mailbox.findUniqueOrThrow({ where: { id } });

it('the settings for mail programs have the mail server’s host name and the address as user name', async () => {
  const now = new Date();
  const agent = { host: 'mx.here.example', instance: randomUUID(), version: '1.0.0', startedAt: now, beatAt: now };
  await db.mailAgent.create({ data: agent });
  const { data: mailbox } = await create('Ann');
  expect((await api.get(`/mailboxes/${mailbox.id}/client-settings`)).data).toEqual({
    user_name: `ann@${domain.name}`,
    host: 'mx.here.example',
    services: [
      { protocol: 'imap', port: 993, security: 'tls' },
      { protocol: 'smtp', port: 465, security: 'tls' },
      { protocol: 'imap', port: 143, security: 'starttls' },
      { protocol: 'smtp', port: 587, security: 'starttls' },
    ],
  });
  expectError(await api.get(`/mailboxes/${MISSING}/client-settings`), 404, 'NOT_FOUND');
});

describe('creating a mailbox', () => {
  it('returns the documented record without the password, and takes effect immediately', async () => {
    const answer = await create('Ann', { display_name: 'Ann Field', quota_bytes: 1_000_000 });
    expect(answer.status).toBe(201);
    expect(answer.data).toEqual({
      id: expect.any(String),
      domain_id: domain.id,
      email: `ann@${domain.name}`,
      local_part: 'ann',
      display_name: 'Ann Field',
      quota_bytes: 1_000_000,
      active: true,
      suspended: false,
      suspended_at: null,
      suspension_reason: null,
      suspension_note: '',
      used_bytes: 0,
      percent_full: 0,
      password_changed_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const [row] = await db.$queryRaw<{ address: string }[]>`SELECT mta.resolve('ANN', ${domain.name}) AS address`;
    expect(row?.address).toBe(`ann@${domain.name}`);
    const entries = await db.auditEntry.findMany({ where: { resource: `mailbox:${answer.data.id}` } });
    expect(entries).toMatchObject([{ action: 'mailbox.create', domainId: domain.id, outcome: 'success' }]);
    expect(JSON.stringify(entries)).not.toMatch(/paper boats|argon2/);
  });

  it('stores the password as argon2id in the format that Dovecot reads', async () => {
    const { data } = await create('ann');
    const { passwordHash } = await stored(data.id);
    expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/);
    expect(await verify(passwordHash, PASSWORD)).toBe(true);
  });

  it('defaults to the domain’s quota, and sets none for null', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { defaultQuotaBytes: 5_000_000_000n } });
    expect((await create('a')).data.quota_bytes).toBe(5_000_000_000);
    expect((await create('b', { quota_bytes: null })).data.quota_bytes).toBeNull();
  });

  it('rejects an address in use, in any letter case and under concurrency', async () => {
    const answers = await Promise.all([create('ann'), create('ANN')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const rejected = answers.find(({ status }) => status === 409);
    expect(rejected?.error).toMatchObject({ code: 'CONFLICT', details: { fields: [{ path: 'local_part' }] } });
  });

  it('enforces the domain’s mailbox limit under concurrency', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { maxMailboxes: 2 } });
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((localPart) => create(localPart)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
  });

  it.each([
    [{ local_part: undefined }, 'MISSING_FIELDS'],
    [{ password: undefined }, 'MISSING_FIELDS'],
    [{ local_part: 'a b' }, 'VALIDATION_ERROR'],
    [{ local_part: 'a/b' }, 'VALIDATION_ERROR'],
    [{ local_part: 'ann@b.example' }, 'VALIDATION_ERROR'],
    [{ password: 'eleven char' }, 'VALIDATION_ERROR'],
    [{ password: 'passwordpassword' }, 'VALIDATION_ERROR'],
    [{ password: 'paper\u00a0boats on the canal' }, 'VALIDATION_ERROR'],
    [{ quota_bytes: -1 }, 'VALIDATION_ERROR'],
    [{ quota_bytes: 1.5 }, 'VALIDATION_ERROR'],
    [{ suspended: true }, 'VALIDATION_ERROR'],
    [{ display_name: 'a\r\nb' }, 'VALIDATION_ERROR'],
  ] as const)('rejects %j', async (over, code) => {
    expectError(await create('ann', over), 400, code);
  });

  it('returns the documented error for a missing, inactive or unassigned domain', async () => {
    expectError(await create('ann', { domain_id: MISSING }), 404, 'DOMAIN_NOT_FOUND');
    const inactive = await makeDomain({ active: false });
    expectError(await create('ann', { domain_id: inactive.id }), 403, 'DOMAIN_INACTIVE');
    const unassigned = await keyClient({ role: 'domain_admin' });
    const body = { domain_id: domain.id, local_part: 'ann', password: PASSWORD };
    expectError(await unassigned.post('/mailboxes', body), 403, 'FORBIDDEN');
  });
});

describe('updating and deleting', () => {
  it('changes only the supplied fields, and the password immediately', async () => {
    const { data } = await create('ann', { display_name: 'Ann' });
    const answer = await api.patch(`/mailboxes/${data.id}`, { active: false, password: 'tin boats on the river' });
    expect(answer.data).toMatchObject({ active: false, display_name: 'Ann' });
    expect(await verify((await stored(data.id)).passwordHash, 'tin boats on the river')).toBe(true);
    const entries = await db.auditEntry.findMany({
      where: { action: 'mailbox.update', resource: `mailbox:${data.id}` },
    });
    expect(entries).toMatchObject([
      { details: { before: { active: true }, after: { active: false }, password_changed: true } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('tin boats');
    expectError(await api.patch(`/mailboxes/${data.id}`, { local_part: 'bo' }), 400, 'VALIDATION_ERROR');
    expect((await api.delete(`/mailboxes/${data.id}`)).status).toBe(200);
    expectError(await api.delete(`/mailboxes/${data.id}`), 404, 'NOT_FOUND');
    expectError(await api.patch(`/mailboxes/${data.id}`, { active: true }), 404, 'NOT_FOUND');
  });
});

describe('listing', () => {
  it('filters by domain, status and text within the domain scope', async () => {
    const other = await makeDomain();
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'off', { active: false });
    await makeMailbox(domain.id, 'quiet', { suspendedAt: new Date() });
    await makeMailbox(other.id, 'other');
    const list = async (client: typeof api, query: string) =>
      (await client.get(`/mailboxes?sort=local_part&order=asc&limit=200&${query}`)).data.map(
        ({ local_part: localPart }: { local_part: string }) => localPart,
      );
    expect(await list(api, `domain_id=${domain.id}`)).toEqual(['ann', 'off', 'quiet']);
    expect(await list(api, `domain_id=${domain.id}&active=false`)).toEqual(['off']);
    expect(await list(api, `domain_id=${domain.id}&suspended=true`)).toEqual(['quiet']);
    expect(await list(api, `domain_id=${domain.id}&q=AN`)).toEqual(['ann']);
    expect(await list(api, `q=NN%40${domain.name}`)).toEqual(['ann']);
    expect(await list(api, 'q=ann%40elsewhere.example')).toEqual([]);
    const own = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    expect(await list(own, '')).toEqual(['ann', 'off', 'quiet']);
    expectError(await own.get(`/mailboxes?domain_id=${other.id}`), 403, 'FORBIDDEN');
    expect(await list(own, `email=other%40${other.name}`)).toEqual([]);
    await makeMailbox(domain.id, 'joann');
    expect(await list(own, `email=ANN%40${domain.name}`)).toEqual(['ann']);
    expect(await list(api, `email=ann%40${other.name}`)).toEqual([]);
    expect(await list(api, 'email=ann')).toEqual([]);
  });

  it('finds any part of an address or name regardless of case and accents, and short texts at the start of words', async () => {
    await create('ann.lee', { display_name: 'Anna Lee, Büro 漢字' });
    await create('bo', { display_name: '100% Bo_b' });
    const found = async (text: string) =>
      (await api.get(`/mailboxes?domain_id=${domain.id}&q=${encodeURIComponent(text)}`)).data.map(
        ({ local_part: localPart }: { local_part: string }) => localPart,
      );
    for (const text of ['NN.L', 'anna lee', 'büro', 'BURO', '漢', 'le', 'a', `.lee@${domain.name}`]) {
      expect({ text, found: await found(text) }).toEqual({ text, found: ['ann.lee'] });
    }
    for (const text of ['100% b', 'bo_b', 'b']) expect(await found(text)).toContain('bo');
    for (const text of ['nn', 'a%e', 'bo\\', '!!', 'bo_c'])
      expect({ text, found: await found(text) }).toEqual({ text, found: [] });
    await db.mailbox.updateMany({ where: { domainId: domain.id, localPart: 'bo' }, data: { displayName: 'Zoë' } });
    for (const text of ['zoë', 'ZOE', 'Zoé']) expect(await found(text)).toEqual(['bo']);
  });
});

describe('suspending', () => {
  it('stops sending but not receiving, shows in the record, and can be undone', async () => {
    const { data } = await create('ann');
    const suspended = await api.post(`/mailboxes/${data.id}/suspend`, { reason: 'Sends phishing' });
    expect(suspended.data).toMatchObject({
      suspended: true,
      suspended_at: expect.any(String),
      suspension_reason: 'manual',
      suspension_note: 'Sends phishing',
    });
    expectError(await api.post(`/mailboxes/${data.id}/suspend`, { reason: 'Again' }), 409, 'CONFLICT');
    const [row] = await db.$queryRaw<{ address: string }[]>`SELECT mta.resolve('ann', ${domain.name}) AS address`;
    expect(row?.address).toBe(`ann@${domain.name}`);
    const restored = await api.post(`/mailboxes/${data.id}/unsuspend`, { note: 'Password changed' });
    expect(restored.data).toMatchObject({ suspended: false, suspended_at: null, suspension_reason: null });
    expect((await stored(data.id)).rateCountedFrom).not.toBeNull();
    expectError(await api.post(`/mailboxes/${data.id}/unsuspend`), 409, 'CONFLICT');
    const entries = await db.auditEntry.findMany({
      where: { resource: `mailbox:${data.id}`, outcome: 'success' },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action }) => action)).toEqual(['mailbox.create', 'mailbox.suspend', 'mailbox.unsuspend']);
    expect(entries[2]?.details).toMatchObject({ note: 'Password changed' });
  });

  it('lets only an admin delete a suspended mailbox', async () => {
    const { data } = await create('ann');
    await api.post(`/mailboxes/${data.id}/suspend`, { reason: 'Sends phishing' });
    const own = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    expectError(await own.delete(`/mailboxes/${data.id}`), 409, 'CONFLICT');
    expect((await api.delete(`/mailboxes/${data.id}`)).status).toBe(200);
  });

  it('requires a reason, the role admin and a mailbox in scope', async () => {
    const { data } = await create('ann');
    expectError(await api.post(`/mailboxes/${data.id}/suspend`, {}), 400, 'MISSING_FIELDS');
    const own = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    expectError(await own.post(`/mailboxes/${data.id}/suspend`, { reason: 'x' }), 403, 'FORBIDDEN');
    expectError(await own.post(`/mailboxes/${data.id}/unsuspend`), 403, 'FORBIDDEN');
    const scoped = await keyClient({ role: 'admin', scopedDomainIds: [(await makeDomain()).id] });
    expectError(await scoped.post(`/mailboxes/${data.id}/suspend`, { reason: 'x' }), 404, 'NOT_FOUND');
  });
});

describe('how full a mailbox is', () => {
  const fill = async (localPart: string, usedBytes: number, quotaBytes: number | null) => {
    const { id } = await makeMailbox(domain.id, localPart);
    await db.mailbox.update({ where: { id }, data: { quotaBytes } });
    await db.mailbox.update({ where: { id }, data: { usedBytes } });
  };
  const list = async (query: string) => (await api.get(`/mailboxes?domain_id=${domain.id}&${query}`)).data;
  const names = (rows: { local_part: string }[]) => rows.map(({ local_part }) => local_part);

  beforeEach(async () => {
    await fill('ann', 79, 100);
    await fill('bo', 899, 1000);
    await fill('cy', 5_000, 1000);
    await fill('dee', 1_000_000, null);
    await fill('eve', 0, 0);
    await fill('fay', 9_000_000_000_000, 1);
  });

  it('is in percent of its quota, which follows every change', async () => {
    const percents = async () =>
      Object.fromEntries(
        (await list('')).map((row: { local_part: string; percent_full: number | null }) => [
          row.local_part,
          row.percent_full,
        ]),
      );
    expect(await percents()).toEqual({ ann: 79, bo: 89, cy: 500, dee: null, eve: 100, fay: 1000 });
    const { id } = await db.mailbox.findFirstOrThrow({ where: { domainId: domain.id, localPart: 'cy' } });
    await api.patch(`/mailboxes/${id}`, { quota_bytes: 50_000 });
    expect(await percents()).toMatchObject({ cy: 10 });
  });

  it('finds mailboxes that are at least that full', async () => {
    expect(names(await list('min_percent_full=80&sort=local_part&order=asc'))).toEqual(['bo', 'cy', 'eve', 'fay']);
    expect(names(await list('min_percent_full=100&sort=percent_full&order=asc'))).toEqual(['eve', 'cy', 'fay']);
    expectError(await api.get('/mailboxes?min_percent_full=0'), 400, 'VALIDATION_ERROR');
  });

  it('orders mailboxes, page by page', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { data, meta } = await api.get(
        `/mailboxes?domain_id=${domain.id}&sort=percent_full&order=desc&limit=2${cursor}`,
      );
      seen.push(...names(data));
      cursor = meta.pagination?.has_more ? `&cursor=${meta.pagination.next_cursor}` : '';
    } while (cursor !== '');
    expect(seen).toEqual(['fay', 'cy', 'eve', 'bo', 'ann', 'dee']);
  });
});
