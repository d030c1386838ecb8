import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeWebhook } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

const URL = 'https://hooks.example.com/postroom';

describe('a new webhook', () => {
  it('returns its secret once and stores it encrypted', async () => {
    const admin = await keyClient({ role: 'admin' });
    const { status, data } = await admin.post('/webhooks', { url: URL, events: ['mail.sent', 'mail.sent', '*'] });

    expect(status).toBe(201);
    expect(data).toMatchObject({
      url: URL,
      events: ['mail.sent', '*'],
      domain_id: null,
      active: true,
      created_by: admin.admin.id,
      failures_in_row: 0,
      failing_since: null,
    });
    expect(data.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const read = await admin.get(`/webhooks/${data.id}`);
    expect('secret' in read.data).toBe(false);
    const listed = await admin.get('/webhooks?limit=200');
    expect(JSON.stringify(listed.data)).not.toContain(data.secret);
    const row = await db.webhook.findUniqueOrThrow({ where: { id: data.id } });
    expect(Buffer.from(row.secret).toString('latin1')).not.toContain(data.secret);
    const entry = await db.auditEntry.findFirstOrThrow({ where: { resource: `webhook:${data.id}` } });
    expect(entry.action).toBe('webhook.create');
    expect(JSON.stringify(entry.details)).not.toContain(data.secret);
  });

  it('is created by each call, each with its own secret', async () => {
    const admin = await keyClient({ role: 'admin' });
    const [one, other] = await Promise.all([1, 2].map(() => admin.post('/webhooks', { url: URL, events: ['*'] })));
    expect(one?.data.secret).not.toBe(other?.data.secret);
  });

  it.each([
    [{ events: ['*'] }, 'MISSING_FIELDS', 'url'],
    [{ url: URL }, 'MISSING_FIELDS', 'events'],
    [{ url: URL, events: [] }, 'MISSING_FIELDS', 'events'],
    [{ url: '', events: ['*'] }, 'MISSING_FIELDS', 'url'],
    [{ url: 'http://hooks.example.com/', events: ['*'] }, 'VALIDATION_ERROR', 'url'],
    [{ url: 'ftp://hooks.example.com/', events: ['*'] }, 'VALIDATION_ERROR', 'url'],
    [{ url: 'hooks.example.com', events: ['*'] }, 'VALIDATION_ERROR', 'url'],
    [{ url: 'https://user:pass@hooks.example.com/', events: ['*'] }, 'VALIDATION_ERROR', 'url'],
    [{ url: 'https://user@hooks.example.com/', events: ['*'] }, 'VALIDATION_ERROR', 'url'],
    [{ url: `${URL}#part`, events: ['*'] }, 'VALIDATION_ERROR', 'url'],
    [{ url: `${URL}/${'a'.repeat(2048)}`, events: ['*'] }, 'VALIDATION_ERROR', 'url'],
    [{ url: `${URL}/${'ü'.repeat(400)}`, events: ['*'] }, 'VALIDATION_ERROR', 'url'],
    [{ url: 'https://hooks.example.com/\r\nX: y', events: ['*'] }, 'VALIDATION_ERROR', 'url'],
    [{ url: URL, events: ['mail.opened'] }, 'VALIDATION_ERROR', 'events.0'],
    [{ url: URL, events: 'mail.sent' }, 'VALIDATION_ERROR', 'events'],
    [{ url: URL, events: ['*'], domain_id: 'x' }, 'VALIDATION_ERROR', 'domain_id'],
    [{ url: URL, events: ['*'], secret: 'mine' }, 'VALIDATION_ERROR', 'secret'],
    [{ url: URL, events: ['*'], name: 'a'.repeat(101) }, 'VALIDATION_ERROR', 'name'],
  ] as const)('rejects %j with %s', async (body, code, path) => {
    const admin = await keyClient({ role: 'admin' });
    const answer = expectError(await admin.post('/webhooks', body), 400, code);
    expect(answer.error.details.fields?.map((field) => field.path)).toEqual([path]);
  });

  it('is rejected for a domain that is missing or inactive', async () => {
    const admin = await keyClient({ role: 'admin' });
    const inactive = await makeDomain({ active: false });
    const body = { url: URL, events: ['*'] };
    const missing = '019ac000-0000-7000-8000-000000000000';
    expectError(await admin.post('/webhooks', { ...body, domain_id: missing }), 404, 'DOMAIN_NOT_FOUND');
    expectError(await admin.post('/webhooks', { ...body, domain_id: inactive.id }), 403, 'DOMAIN_INACTIVE');
  });

  it('cannot be created by a domain_admin', async () => {
    const domain = await makeDomain();
    const own = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    const body = { url: URL, events: ['*'], domain_id: domain.id };
    expectError(await own.post('/webhooks', body), 403, 'FORBIDDEN');
  });

  it('created by a scoped key belongs to a domain in its scope', async () => {
    const [mine, other] = await Promise.all([makeDomain(), makeDomain()]);
    const key = await keyClient({ role: 'admin', scopedDomainIds: [mine.id] });
    const body = { url: URL, events: ['*'] };
    expectError(await key.post('/webhooks', body), 403, 'API_KEY_DOMAIN_SCOPE');
    expectError(await key.post('/webhooks', { ...body, domain_id: other.id }), 403, 'API_KEY_DOMAIN_SCOPE');
    expect((await key.post('/webhooks', { ...body, domain_id: mine.id })).status).toBe(201);
    await makeWebhook();
    const listed = await key.get('/webhooks');
    expect(listed.data.map((webhook: { domain_id: string }) => webhook.domain_id)).toEqual([mine.id]);
  });
});

describe('updating a webhook', () => {
  it('changes only the supplied fields and is audited with before and after', async () => {
    const admin = await keyClient({ role: 'admin' });
    const { id } = await makeWebhook({ url: URL });
    await db.webhook.update({ where: { id }, data: { failuresInRow: 7, failingSince: new Date() } });

    const { data } = await admin.patch(`/webhooks/${id}`, { active: false, name: 'Billing' });
    expect(data).toMatchObject({ active: false, name: 'Billing', url: URL, events: ['*'], failures_in_row: 7 });
    const entry = await db.auditEntry.findFirstOrThrow({ where: { resource: `webhook:${id}` } });
    expect(entry.details).toMatchObject({ before: { active: true, name: '' }, after: { active: false } });

    const moved = await admin.patch(`/webhooks/${id}`, { url: 'https://other.example.com/' });
    expect(moved.data).toMatchObject({ url: 'https://other.example.com/', failures_in_row: 0, failing_since: null });
  });

  it('cannot change its domain or secret', async () => {
    const admin = await keyClient({ role: 'admin' });
    const { id } = await makeWebhook();
    expectError(await admin.patch(`/webhooks/${id}`, { domain_id: null }), 400, 'VALIDATION_ERROR');
    expectError(await admin.patch(`/webhooks/${id}`, { secret: 'x' }), 400, 'VALIDATION_ERROR');
  });
});

describe('deleting a webhook', () => {
  it('takes effect immediately, and happens when its domain is deleted', async () => {
    const admin = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const [one, other] = await Promise.all([makeWebhook(), makeWebhook({ domainId: domain.id })]);
    expect((await admin.delete(`/webhooks/${one.id}`)).data.message).toContain('deleted');
    expectError(await admin.get(`/webhooks/${one.id}`), 404, 'NOT_FOUND');
    expectError(await admin.delete(`/webhooks/${one.id}`), 404, 'NOT_FOUND');
    await admin.delete(`/domains/${domain.id}`);
    expectError(await admin.get(`/webhooks/${other.id}`), 404, 'NOT_FOUND');
  });

  it('does not happen when the admin who created it is deleted', async () => {
    const owner = await keyClient({ role: 'super_admin' });
    const maker = await keyClient({ role: 'admin' });
    const { data } = await maker.post('/webhooks', { url: URL, events: ['*'] });
    await owner.delete(`/admins/${maker.admin.id}`);
    expect((await owner.get(`/webhooks/${data.id}`)).data.created_by).toBe(maker.admin.id);
  });
});

describe('the list', () => {
  it('pages without skipping or repeating, and filters', async () => {
    const admin = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const made = await Promise.all([1, 2, 3, 4, 5].map(() => makeWebhook({ domainId: domain.id })));
    await admin.patch(`/webhooks/${made[2]?.id}`, { active: false });
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await admin.get(`/webhooks?domain_id=${domain.id}&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.data.map((webhook: { id: string }) => webhook.id));
      if (!page.meta.pagination?.has_more) break;
      cursor = page.meta.pagination.next_cursor;
    }
    expect(seen.toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    const inactiveOnly = await admin.get(`/webhooks?domain_id=${domain.id}&active=false`);
    expect(inactiveOnly.data.map((webhook: { id: string }) => webhook.id)).toEqual([made[2]?.id]);
    const [failing, unused] = [made[0]?.id, made[2]?.id];
    await db.webhook.updateMany({ where: { id: { in: [failing, unused] as string[] } }, data: { failuresInRow: 3 } });
    const idsOf = async (isFailing: boolean) =>
      (await admin.get(`/webhooks?domain_id=${domain.id}&failing=${isFailing}&limit=100`)).data.map(
        (webhook: { id: string }) => webhook.id,
      );
    expect(await idsOf(true)).toEqual([failing]);
    expect((await idsOf(false)).toSorted()).toEqual(made.flatMap(({ id }) => (id === failing ? [] : [id])).toSorted());
    expectError(await admin.get('/webhooks?limit=0'), 400, 'INVALID_PAGINATION');
    expectError(await admin.get('/webhooks?sort=secret'), 400, 'VALIDATION_ERROR');
  });

  it('finds by a part of the name or of the URL, and takes % and _ literally', async () => {
    const admin = await keyClient({ role: 'admin' });
    const { id: domainId } = await makeDomain();
    const make = async (name: string, url: string) =>
      (await admin.post('/webhooks', { name, url, events: ['*'], domain_id: domainId })).data.id;
    const archive = await make('Archive 100%', 'https://one.example/mail');
    const billing = await make('', 'https://Billing_Desk.example/hooks/postroom');
    const found = async (q: string) => {
      const { data, meta } = await admin.get(`/webhooks?domain_id=${domainId}&q=${encodeURIComponent(q)}&total=true`);
      expect(meta.pagination?.total).toBe(data.length);
      return data.map(({ id }: { id: string }) => id);
    };
    expect(await found('archive')).toEqual([archive]);
    expect(await found('0%')).toEqual([archive]);
    expect(await found('%')).toEqual([archive]);
    expect(await found('billing_desk.example/hooks')).toEqual([billing]);
    expect(await found('_')).toEqual([billing]);
    expect(await found('nowhere')).toEqual([]);
  });
});

describe('rotating a secret', () => {
  it('returns a new secret, and the end of the grace period of the old one', async () => {
    const admin = await keyClient({ role: 'admin' });
    const { data: made } = await admin.post('/webhooks', { url: URL, events: ['*'] });
    const before = Date.now();
    const { data } = await admin.post(`/webhooks/${made.id}/rotate-secret`, { grace_hours: 2 });
    expect(data.secret).toMatch(/^whsec_/);
    expect(data.secret).not.toBe(made.secret);
    const until = Date.parse(data.previous_valid_until) - before;
    expect(until).toBeGreaterThan(2 * 3_600_000 - 1000);
    expect(until).toBeLessThan(2 * 3_600_000 + 60_000);
    const none = await admin.post(`/webhooks/${made.id}/rotate-secret`, { grace_hours: 0 });
    expect(none.data.previous_valid_until).toBeNull();
    expect(await db.webhook.findUnique({ where: { id: made.id } })).toMatchObject({ previousSecret: null });
    expectError(await admin.post(`/webhooks/${made.id}/rotate-secret`, { grace_hours: 169 }), 400, 'VALIDATION_ERROR');
  });
});

describe('a URL in a private network', () => {
  const create = async (url: string) => (await keyClient({ role: 'admin' })).post('/webhooks', { url, events: ['*'] });

  it.each([
    'https://localhost/hook',
    'https://hooks.LOCALHOST:8443/',
    'https://localhost./',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://10.1.2.3/',
    'https://[fd00::1]/',
    'https://169.254.169.254/',
  ])('is refused, since no delivery would reach it: %s', async (url) => {
    const { error } = expectError(await create(url), 400, 'VALIDATION_ERROR');
    expect(error.details.fields).toMatchObject([
      { path: 'url', message: expect.stringContaining('WEBHOOK_ALLOW_PRIVATE_NETWORKS') },
    ]);
  });

  it('is refused in a change, too', async () => {
    const admin = await keyClient({ role: 'admin' });
    const { id } = await makeWebhook();
    expectError(await admin.patch(`/webhooks/${id}`, { url: 'https://localhost/' }), 400, 'VALIDATION_ERROR');
  });

  it.each(['https://93.184.216.34/', 'https://localhost.example/'])('is none of %s', async (url) => {
    expect((await create(url)).status).toBe(201);
  });
});

it('the list can be of those that get an event', async () => {
  const admin = await keyClient({ role: 'admin' });
  const [named, all, other] = [
    await makeWebhook({ events: ['mail.sent', 'system.alert'] }),
    await makeWebhook({ events: ['*'] }),
    await makeWebhook({ events: ['mail.sent'] }),
  ];
  const { data } = await admin.get('/webhooks?event=system.alert&limit=200');
  const ids = data.map((each: { id: string }) => each.id);
  expect(ids).toEqual(expect.arrayContaining([named.id, all.id]));
  expect(ids).not.toContain(other.id);
  expectError(await admin.get('/webhooks?event=mail.opened'), 400, 'VALIDATION_ERROR');
});

it('the list says how many of the last 100 deliveries succeeded, and when one last did', async () => {
  const admin = await keyClient({ role: 'admin' });
  const [webhook, other] = [await makeWebhook(), await makeWebhook()];
  const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes));
  await db.event.createMany({
    data: Array.from({ length: 130 }, (_, index) => ({
      id: idOf(index),
      type: 'mail.sent',
      body: '{}',
      bodyBytes: 2,
    })),
  });
  await db.webhookDelivery.createMany({
    data: Array.from({ length: 130 }, (_, index) => {
      const status =
        index < 110 ? ('delivered' as const) : index < 125 ? ('abandoned' as const) : ('retrying' as const);
      const finishedAt = status === 'retrying' ? null : at(index);
      return { webhookId: webhook.id, eventId: idOf(index), status, createdAt: at(index), finishedAt };
    }),
  });
  const { data } = await admin.get('/webhooks?limit=200');
  const of = (id: string) => data.find((each: { id: string }) => each.id === id);
  expect(of(webhook.id)).toMatchObject({
    recent_deliveries: { finished: 95, delivered: 80 },
    last_delivered_at: at(109).toISOString(),
  });
  expect(of(other.id)).toMatchObject({ recent_deliveries: { finished: 0, delivered: 0 }, last_delivered_at: null });
});

function idOf(index: number): string {
  return `01a1f000-0000-7000-8000-${String(index).padStart(12, '0')}`;
}
