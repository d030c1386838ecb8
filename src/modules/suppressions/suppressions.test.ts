import { beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeDomain, makeSuppression, unique } from '@/test/factories';
import { type Client, expectError, keyClient, sessionClient } from '@/test/rest';
import { deleteExpiredSuppressions } from './service';

const api = await keyClient({ role: 'admin' });
let domain: { id: string; name: string };
let email: string;

beforeEach(async () => {
  domain = await makeDomain();
  email = `${unique()}@far.example`;
});

const create = (body: object, by = api) => by.post('/suppressions', { domain_id: domain.id, email, ...body });

describe('a suppression', () => {
  it('is of an address in lower case without its tag, and has an audit entry', async () => {
    const { status, data } = await create({
      email: ` ${email.toUpperCase().replace('@', '+News@')}`,
      detail: 'asked by phone',
    });
    expect(status).toBe(201);
    expect(data).toMatchObject({
      ...{ email, domain_id: domain.id, domain: domain.name, reason: 'manual', list: null, source_message_id: null },
      ...{ detail: 'asked by phone', created_by: api.admin.id, expires_at: null },
    });
    expect((await api.get(`/suppressions/${data.id}`)).data).toEqual(data);
    const entries = await db.auditEntry.findMany({ where: { resource: `suppression:${data.id}` } });
    expect(entries).toMatchObject([
      { action: 'suppression.create', domainId: domain.id, details: { before: null, after: data } },
    ]);
  });

  it.each([
    ['ann@far.example', 'ann@far.example'],
    ['Ann+a+b@far.example', 'ann@far.example'],
    ['+ann@far.example', '+ann@far.example'],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
  ])('of %s is stored as %s', async (given, stored) => {
    expect((await create({ email: given })).data).toMatchObject({ email: stored });
  });

  it('exists once per domain, address and reason', async () => {
    await create({});
    const again = await create({ email: email.replace('@', '+x@') });
    expect(expectError(again, 409, 'CONFLICT').error.details.fields).toMatchObject([{ path: 'email' }]);
    for (const other of [{ reason: 'unsubscribe' }, { domain_id: null }, { domain_id: (await makeDomain()).id }])
      expect((await create(other)).status).toBe(201);
    expectError(await create({ domain_id: null }), 409, 'CONFLICT');
    expect(await db.suppression.count({ where: { email } })).toBe(4);
  });

  it('of a mailing list leaves the address out of messages of that list only, and exists besides others', async () => {
    const { status, data } = await create({ list: 'newsletter', reason: 'unsubscribe' });
    expect({ status, data }).toMatchObject({ status: 201, data: { email, list: 'newsletter', reason: 'unsubscribe' } });
    const again = expectError(await create({ list: 'newsletter', reason: 'unsubscribe' }), 409, 'CONFLICT');
    expect(again.error.message).toContain(`for the list newsletter of ${domain.name}`);
    const send = (list: string | null) =>
      api.post('/send', {
        from: { email: `shop@${domain.name}` },
        to: [{ email }],
        subject: 'News',
        text_body: 'Desks are back.',
        ...(list && { unsubscribe: { list } }),
      });
    expectError(await send('newsletter'), 422, 'RECIPIENT_SUPPRESSED');
    for (const other of ['offers', null]) expect((await send(other)).status).toBe(200);
    expect((await create({ reason: 'unsubscribe' })).status).toBe(201);
    expectError(await send('offers'), 422, 'RECIPIENT_SUPPRESSED');
    for (const wrong of ['', 'News', 'a b', '-a', 'x'.repeat(64)]) {
      const { error } = expectError(await create({ list: wrong }), 400, 'VALIDATION_ERROR');
      expect(error.details.fields, wrong).toMatchObject([{ path: 'list' }]);
    }
  });

  it('is created once by concurrent calls', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create({})));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
  });

  it('that has expired is replaced, and deleted by the clean-up', async () => {
    const clock = manualClock('2026-11-20T08:00:00Z');
    const expiring = { domain_id: domain.id, email, expires_at: '2026-11-20T10:00:00+01:00' };
    const first = await api.call('POST', '/suppressions', { body: expiring, clock });
    expect(first.data).toMatchObject({ expires_at: '2026-11-20T09:00:00.000Z' });
    const call = () => api.call('POST', '/suppressions', { body: { ...expiring, expires_at: null }, clock });
    clock.advance(3_599);
    expectError(await call(), 409, 'CONFLICT');
    await deleteExpiredSuppressions(db, clock.now());
    expect((await api.get(`/suppressions/${first.data.id}`)).status).toBe(200);
    clock.advance(1);
    const { data } = await call();
    expect(data).toMatchObject({ expires_at: null });
    expect(await db.suppression.count({ where: { email } })).toBe(1);
    const gone = await makeSuppression(domain.id, 'gone@far.example', { expiresAt: clock.now() });
    await deleteExpiredSuppressions(db, clock.now());
    expectError(await api.get(`/suppressions/${gone.id}`), 404, 'NOT_FOUND');
    expect((await api.get(`/suppressions/${data.id}`)).status).toBe(200);
  });

  it('is deleted with an audit entry, and with its domain', async () => {
    const { data } = await create({});
    const { data: other } = await create({ reason: 'complaint' });
    const { data: global } = await create({ domain_id: null });
    expect((await api.delete(`/suppressions/${data.id}`)).data).toEqual({
      message: `Suppression of ${email} deleted.`,
    });
    expectError(await api.delete(`/suppressions/${data.id}`), 404, 'NOT_FOUND');
    expect(
      await db.auditEntry.findFirst({ where: { resource: `suppression:${data.id}`, action: 'suppression.delete' } }),
    ).toMatchObject({ outcome: 'success', domainId: domain.id, details: { before: data, after: null } });
    await api.delete(`/domains/${domain.id}`);
    expectError(await api.get(`/suppressions/${other.id}`), 404, 'NOT_FOUND');
    expect((await api.get(`/suppressions/${global.id}`)).status).toBe(200);
  });

  it.each([
    ['no address', { email: '' }, 'MISSING_FIELDS'],
    ['two addresses', { email: 'a@far.example, b@far.example' }, 'VALIDATION_ERROR'],
    ['an unknown reason', { reason: 'spam' }, 'VALIDATION_ERROR'],
    ['a line break in the note', { detail: 'a\nb' }, 'VALIDATION_ERROR'],
    ['a time that is none', { expires_at: 'soon' }, 'VALIDATION_ERROR'],
    ['a bounce of an address with a tag', { email: 'Ann+News@far.example', reason: 'bounce' }, 'VALIDATION_ERROR'],
    ['a list with other letters', { list: 'News' }, 'VALIDATION_ERROR'],
  ] as const)('is rejected with %s', async (_, body, code) => {
    expectError(await create(body), 400, code);
  });
});

describe('suppressions of all domains', () => {
  it('are made and seen by full admins only', async () => {
    const scoped = await keyClient({ role: 'admin', scopedDomainIds: [domain.id] });
    const domainAdmin = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    expectError(await create({ domain_id: null }, scoped), 403, 'API_KEY_DOMAIN_SCOPE');
    expectError(await create({ domain_id: null }, domainAdmin), 403, 'FORBIDDEN');
    for (const by of [scoped, domainAdmin])
      expect((await by.post('/suppressions/import', { csv: `email\n${email}` })).status).toBe(403);
    const { data } = await create({ domain_id: null });
    for (const by of [scoped, domainAdmin]) {
      expectError(await by.get(`/suppressions/${data.id}`), 404, 'NOT_FOUND');
      expectError(await by.delete(`/suppressions/${data.id}`), 404, 'NOT_FOUND');
      expect((await by.get(`/suppressions?q=${email}`)).data).toEqual([]);
    }
    expect((await api.get(`/suppressions?q=${email}`)).data).toMatchObject([{ id: data.id, domain_id: null }]);
  });

  it('an API key needs the permission to make changes, and to read', async () => {
    const sender = await keyClient({ permissions: ['send'] });
    expectError(await create({}, sender), 403, 'FORBIDDEN');
    expectError(await sender.get('/suppressions'), 403, 'FORBIDDEN');
    const reader = await keyClient({ permissions: ['read'] });
    expect((await reader.get('/suppressions')).status).toBe(200);
    expectError(await create({}, reader), 403, 'FORBIDDEN');
  });
});

describe('the list', () => {
  it('is filtered by domain, reason and part of the address, newest first, with a total', async () => {
    const [a, b, c] = ['ann', 'bo', 'cy'].map((name) => `${name}.${email}`) as [string, string, string];
    const at = (minutes: number) => ({ createdAt: new Date(Date.UTC(2026, 0, 1, 0, minutes)) });
    await makeSuppression(domain.id, a, at(1));
    await makeSuppression(domain.id, b, { reason: 'bounce', ...at(2) });
    await makeSuppression(null, c, { reason: 'bounce', ...at(3) });
    const emails = async (query: string) =>
      (await api.get(`/suppressions?${query}`)).data.map(({ email }: { email: string }) => email);
    expect(await emails(`domain_id=${domain.id}`)).toEqual([b, a]);
    expect(await emails(`domain_id=${domain.id}&order=asc`)).toEqual([a, b]);
    expect(await emails(`q=${email}`)).toEqual([c, b, a]);
    expect(await emails(`q=${email.toUpperCase()}&reason=bounce`)).toEqual([c, b]);
    expect(await emails(`q=bo.${email.slice(0, 4)}`)).toEqual([b]);
    expect(await emails(`domain_id=${domain.id}&q=an`)).toEqual([a]);
    expect(await emails(`domain_id=${domain.id}&q=fa`)).toEqual([b, a]);
    expect(await emails('q=%40%40')).toEqual([]);
    const { meta, data } = await api.get(`/suppressions?domain_id=${domain.id}&reason=bounce&limit=1&total=true`);
    expect({ emails: data.length, ...meta.pagination }).toMatchObject({ emails: 1, total: 1, has_more: false });
    const first = await api.get(`/suppressions?q=${email}&limit=2`);
    const { next_cursor: cursor } = first.meta.pagination as { next_cursor: string };
    expect((await api.get(`/suppressions?q=${email}&limit=2&cursor=${cursor}`)).data).toMatchObject([{ email: a }]);
  });
});

it('an address is found and deleted as it was suppressed, with a tag and in its own script', async () => {
  const name = unique();
  const stored = `${name}@xn--bcher-kva.example`;
  await makeSuppression(domain.id, stored);
  await makeSuppression(domain.id, `${name}@bucher.example`);
  const given = [`${name}+news@xn--bcher-kva.example`, `${name}@bücher.example`, `${name}+a@Bücher.example`];
  for (const q of given.flatMap((text) => [text, encodeURIComponent(text)])) {
    const { data, meta } = await api.get(`/suppressions?q=${q}&total=true`);
    expect({ q, emails: data.map(({ email }: { email: string }) => email) }).toEqual({ q, emails: [stored] });
    expect(meta.pagination?.total).toBe(1);
    const exported = await (await api.download(`/suppressions/export?format=csv&q=${q}`)).text();
    expect(exported).toContain(stored);
  }
  const ofDomain = await api.get(`/suppressions?q=@bücher.example&domain_id=${domain.id}`);
  expect(ofDomain.data).toMatchObject([{ email: stored }]);
  const names = { q: `${name} bob@bücher.example` };
  expect((await api.post('/suppressions/delete', names)).data.total).toBe(0);
  expect((await api.get(`/suppressions?q=${encodeURIComponent(`Bob ${name} bob@bücher.example`)}`)).data).toEqual([]);
  expect((await api.post('/suppressions/delete', { q: given[2] })).data.total).toBe(1);
  expect((await api.get(`/suppressions?q=${name}`)).data).toMatchObject([{ email: `${name}@bucher.example` }]);
});

describe('deleted suppressions', () => {
  const rows = () => db.suppression.findMany({ where: { domainId: domain.id }, orderBy: { id: 'asc' } });
  const restore = (by: Client, id: string) => by.post(`/deleted-records/${id}/restore`);

  it('come back as they were, and as they are if they were added again', async () => {
    const { id } = await makeSuppression(domain.id, email, { reason: 'bounce', detail: '550 5.1.1 unknown' });
    const before = await rows();
    await api.delete(`/suppressions/${id}`);
    expect(await rows()).toEqual([]);
    expect((await restore(api, id)).data).toEqual({ message: `Suppression of ${email} restored.` });
    expect(await rows()).toEqual(before);
    await api.delete(`/suppressions/${id}`);
    const { data } = await create({ reason: 'bounce', detail: 'again' });
    expect((await restore(api, id)).status).toBe(200);
    expect(await rows()).toMatchObject([{ id: data.id, detail: 'again' }]);
  });

  it('are all that match the filters, counted first, and are restored by domain', async () => {
    const other = await makeDomain();
    const old = new Date('2026-01-01T00:00:00Z');
    for (const name of ['ann', 'bo', 'cy']) {
      await makeSuppression(domain.id, `${name}.${email}`, { reason: 'bounce' });
    }
    await makeSuppression(other.id, `ann.${email}`, { reason: 'bounce' });
    const stay = [
      await makeSuppression(domain.id, `old.${email}`, { reason: 'bounce', createdAt: old }),
      await makeSuppression(domain.id, `di.${email}`, { reason: 'complaint' }),
      await makeSuppression(domain.id, 'ann@elsewhere.example', { reason: 'bounce' }),
    ];
    const before = await rows();
    const filters = { q: email, reason: 'bounce', since: '2026-01-02T00:00:00.000Z' };
    const counted = await api.post('/suppressions/delete', { ...filters, dry_run: true });
    expect(counted.data).toEqual({ dry_run: true, total: 4, is_complete: true, restorable: [] });
    expect(await rows()).toEqual(before);
    const { data } = await api.post('/suppressions/delete', filters);
    expect(data).toMatchObject({ dry_run: false, total: 4, is_complete: true });
    expect((await rows()).map(({ id }) => id)).toEqual(stay.map(({ id }) => id));
    const listed = (await api.get(`/deleted-records?kind=suppression&domain_id=${domain.id}`)).data;
    expect(listed).toMatchObject([{ kind: 'suppression', name: '3 addresses', deleted_by: { id: api.admin.id } }]);
    expect(data.restorable).toContainEqual({ id: listed[0].id, name: '3 addresses', domain_id: domain.id });
    for (const { id } of data.restorable) expect((await restore(api, id)).status).toBe(200);
    expect(await rows()).toEqual(before);
    expect(await db.suppression.count({ where: { domainId: other.id } })).toBe(1);
    const entries = (await api.get('/audit?action=suppression.delete_matching&limit=2')).data;
    const recorded = entries.map((entry: { domain_id: string; details: object }) => [entry.domain_id, entry.details]);
    const [ofDomain, ofOther] = [
      listed[0].id,
      data.restorable.find(({ id }: { id: string }) => id !== listed[0].id).id,
    ];
    expect(recorded.toSorted()).toEqual(
      [
        [domain.id, { dry_run: false, filters, total: 3, deleted_record_id: ofDomain }],
        [other.id, { dry_run: false, filters, total: 1, deleted_record_id: ofOther }],
      ].toSorted(),
    );
  });

  it('are restored also where an expired one has their place', async () => {
    const { id } = await makeSuppression(domain.id, email, { reason: 'bounce' });
    expect((await api.delete(`/suppressions/${id}`)).status).toBe(200);
    const expiresAt = new Date(Date.now() - 1_000);
    await db.suppression.create({ data: { email, domainId: domain.id, reason: 'bounce', list: '', expiresAt } });
    expect((await restore(api, id)).status).toBe(200);
    expect(await db.suppression.findMany({ where: { email } })).toMatchObject([{ id, expiresAt: null }]);
  });

  it('are those of domains in scope only, and not all without a filter', async () => {
    const other = await makeDomain();
    const [own, foreign] = [await makeSuppression(domain.id, email), await makeSuppression(other.id, email)];
    const everywhere = await makeSuppression(null, email);
    const assigned = await sessionClient({ role: 'domain_admin', domainIds: [domain.id] });
    expect((await assigned.post('/suppressions/delete', { q: email })).data).toMatchObject({
      total: 1,
      restorable: [{ id: expect.any(String), name: email, domain_id: domain.id }],
    });
    const left = await db.suppression.findMany({ where: { email }, select: { id: true } });
    expect(left.map(({ id }) => id).toSorted()).toEqual([foreign.id, everywhere.id].toSorted());
    expect(left).not.toContainEqual({ id: own.id });
    expectError(await assigned.post('/suppressions/delete', { domain_id: other.id }), 403, 'FORBIDDEN');
    expectError(await api.post('/suppressions/delete', { q: '' }), 400, 'VALIDATION_ERROR');
    expectError(await api.post('/suppressions/delete', { q: email, domain_id: '' }), 400, 'VALIDATION_ERROR');
    expectError(await api.post('/suppressions/delete', {}), 400, 'VALIDATION_ERROR');
    expectError(await api.post('/suppressions/delete', { dry_run: true }), 400, 'VALIDATION_ERROR');
  });
});
