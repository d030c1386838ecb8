import { describe, expect, it, onTestFinished } from 'vitest';
import type { OutboundResult } from '@/server/outbound/request';
import { processWide } from '@/server/process-wide';
import { db } from '@/test/database';
import { makeAbandonedDelivery, makeDomain, makeWebhook } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { answered } from '@/test/servers/scripted-endpoint';
import { createDeliverer, type Deliverer } from './delivery/deliverer';

const URL = 'https://hooks.example.com/postroom';

it('deliveries are listed from a time on, and up to another', async () => {
  const admin = await keyClient({ role: 'admin' });
  const webhook = await makeWebhook();
  const deliveries = [await makeAbandonedDelivery(webhook.id), await makeAbandonedDelivery(webhook.id)];
  const [old, young] = deliveries.map(({ id }) => id);
  const day = new Date('2026-01-02T00:00:00.000Z');
  await db.webhookDelivery.update({ where: { id: old }, data: { createdAt: new Date(day.getTime() - 1) } });
  await db.webhookDelivery.update({ where: { id: young }, data: { createdAt: day } });
  const listed = async (filters: string) =>
    (await admin.get(`/webhooks/${webhook.id}/deliveries?${filters}`)).data.map(({ id }: { id: string }) => id);
  expect(await listed(`since=${day.toISOString()}`)).toEqual([young]);
  expect(await listed(`until=${day.toISOString()}&status=abandoned`)).toEqual([old]);
});

describe('a replay', () => {
  it('starts new retries with the same id', async () => {
    const admin = await keyClient({ role: 'admin' });
    const webhook = await makeWebhook();
    const delivery = await makeAbandonedDelivery(webhook.id);
    const { data } = await admin.post(`/webhooks/${webhook.id}/deliveries/${delivery.id}/replay`);
    expect(data).toMatchObject({ id: delivery.id, status: 'pending', attempt_count: 6, finished_at: null });
    expect(Date.parse(data.next_attempt_at)).toBeLessThanOrEqual(Date.now() + 1000);
    const again = await admin.post(`/webhooks/${webhook.id}/deliveries/${delivery.id}/replay`);
    expectError(again, 409, 'CONFLICT');
  });

  it('is rejected while the webhook is inactive, or once the body is deleted', async () => {
    const admin = await keyClient({ role: 'admin' });
    const webhook = await makeWebhook({ active: false });
    const delivery = await makeAbandonedDelivery(webhook.id);
    const path = `/webhooks/${webhook.id}/deliveries/${delivery.id}/replay`;
    expectError(await admin.post(path), 409, 'CONFLICT');
    expectError(await admin.post(`/webhooks/${webhook.id}/replay`, { since: '2026-01-01T00:00:00Z' }), 409, 'CONFLICT');
    await admin.patch(`/webhooks/${webhook.id}`, { active: true });
    await db.event.update({ where: { id: delivery.eventId }, data: { body: null, bodyBytes: 0 } });
    expect(expectError(await admin.post(path), 409, 'CONFLICT').error.message).toContain('deleted');
  });

  it('is rejected while an attempt is in flight', async () => {
    const admin = await keyClient({ role: 'admin' });
    const webhook = await makeWebhook();
    const { id } = await makeAbandonedDelivery(webhook.id);
    const leased = { status: 'retrying', finishedAt: null, failureCount: 2, ...LEASED } as const;
    const before = await db.webhookDelivery.update({ where: { id }, data: leased });
    expectError(await admin.post(`/webhooks/${webhook.id}/deliveries/${id}/replay`), 409, 'CONFLICT');
    expect(await db.webhookDelivery.findUnique({ where: { id } })).toEqual(before);
    await db.webhookDelivery.update({ where: { id }, data: { leaseToken: null } });
    const free = await admin.post(`/webhooks/${webhook.id}/deliveries/${id}/replay`);
    expect(free.data).toMatchObject({ status: 'pending', in_flight: false, attempts_left: 6 });
  });

  it('of all abandoned deliveries leaves out tests', async () => {
    const admin = await keyClient({ role: 'admin' });
    const webhook = await makeWebhook();
    const { data: test } = await admin.post(`/webhooks/${webhook.id}/test`);
    expect(test.status).toBe('abandoned');
    const { data } = await admin.post(`/webhooks/${webhook.id}/replay`, { since: '2020-01-01T00:00:00Z' });
    expect(data).toEqual({ replayed: 0, remaining: 0 });
    expect((await admin.get(`/webhooks/${webhook.id}/deliveries/${test.id}`)).data.status).toBe('abandoned');
  });

  it('of all abandoned deliveries since a time leaves out older ones and those of other webhooks', async () => {
    const admin = await keyClient({ role: 'admin' });
    const [webhook, other] = await Promise.all([makeWebhook(), makeWebhook()]);
    const [old, recent, foreign] = await Promise.all([
      makeAbandonedDelivery(webhook.id),
      makeAbandonedDelivery(webhook.id),
      makeAbandonedDelivery(other.id),
    ]);
    await db.webhookDelivery.update({ where: { id: old.id }, data: { createdAt: new Date('2026-01-01') } });
    const { data } = await admin.post(`/webhooks/${webhook.id}/replay`, { since: '2026-02-01T00:00:00Z' });
    expect(data).toEqual({ replayed: 1, remaining: 0 });
    const rows = await db.webhookDelivery.findMany({ where: { id: { in: [old.id, recent.id, foreign.id] } } });
    expect(Object.fromEntries(rows.map(({ id, status }) => [id, status]))).toEqual({
      [old.id]: 'abandoned',
      [recent.id]: 'pending',
      [foreign.id]: 'abandoned',
    });
  });

  it('cannot access a delivery of another webhook', async () => {
    const admin = await keyClient({ role: 'admin' });
    const [webhook, other] = await Promise.all([makeWebhook(), makeWebhook()]);
    const foreign = await makeAbandonedDelivery(other.id);
    expectError(await admin.post(`/webhooks/${webhook.id}/deliveries/${foreign.id}/replay`), 404, 'NOT_FOUND');
    expectError(await admin.get(`/webhooks/${webhook.id}/deliveries/${foreign.id}`), 404, 'NOT_FOUND');
  });
});

describe('a test event', () => {
  it('makes one attempt and returns its result, even while the webhook is inactive', async () => {
    const admin = await keyClient({ role: 'admin' });
    const webhook = await makeWebhook({ active: false });
    const { status, data } = await admin.post(`/webhooks/${webhook.id}/test`, { event: 'mail.bounced' });
    expect(status).toBe(200);
    expect(data).toMatchObject({ event: 'mail.bounced', is_test: true, status: 'abandoned', next_attempt_at: null });
    expect(data.attempts).toMatchObject([{ number: 1, status_code: null, failure: 'blocked_address' }]);
    const { data: shown } = await admin.get(`/webhooks/${webhook.id}/deliveries/${data.id}`);
    expect(JSON.parse(shown.request.body)).toMatchObject({
      event: 'mail.bounced',
      data: { bounce: { type: 'permanent' } },
    });
    expect(shown.request.headers).toMatchObject({ 'X-Service-Event': 'mail.bounced', 'X-Service-Attempt': '1' });
    const after = await admin.get(`/webhooks/${webhook.id}`);
    expect(after.data.failures_in_row).toBe(0);
  });

  it('is rejected while two tests of the webhook are in flight, and accepted once one has ended', async () => {
    const admin = await keyClient({ role: 'admin' });
    const [webhook, other] = await Promise.all([makeWebhook(), makeWebhook()]);
    const endpoint = holdDeliveries();
    const test = (id: string) => admin.post(`/webhooks/${id}/test`);
    const first = [test(webhook.id), test(webhook.id)];
    await expect.poll(() => endpoint.waiting.length, WAIT).toBe(2);
    const rejected = expectError(await test(webhook.id), 429, 'RATE_LIMIT_EXCEEDED');
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await db.webhookDelivery.count({ where: { webhookId: webhook.id } })).toBe(2);
    const foreign = test(other.id);
    await expect.poll(() => endpoint.waiting.length, WAIT).toBe(3);
    for (const answer of endpoint.waiting) answer(answered(204));
    const ended = await Promise.all([...first, foreign]);
    expect(ended.map(({ status, data }) => [status, data.status])).toEqual(Array(3).fill([200, 'delivered']));
    const again = test(webhook.id);
    await expect.poll(() => endpoint.waiting.length, WAIT).toBe(4);
    endpoint.waiting[3]?.(answered(204));
    expect((await again).status).toBe(200);
  });
});

describe('deliveries', () => {
  it('are listed newest first, filtered by status and by event, without skipping or repeating', async () => {
    const admin = await keyClient({ role: 'admin' });
    const webhook = await makeWebhook();
    await makeAbandonedDelivery((await makeWebhook()).id);
    const made: string[] = [];
    for (let count = 0; count < 5; count++) made.push((await makeAbandonedDelivery(webhook.id)).id);
    const [sent, delivered, bounced] = made.toReversed() as [string, string, string];
    await db.webhookDelivery.update({ where: { id: delivered }, data: { status: 'delivered' } });
    await db.event.updateMany({
      where: { deliveries: { some: { id: { in: [delivered, bounced] } } } },
      data: { type: 'mail.bounced' },
    });
    const list = (query: string) => admin.get(`/webhooks/${webhook.id}/deliveries?${query}`);
    const ids = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id);
    expect(await ids('status=delivered')).toEqual([delivered]);
    expect(await ids('event=mail.bounced')).toEqual([delivered, bounced]);
    expect(await ids('event=mail.bounced&status=abandoned')).toEqual([bounced]);
    expect(await ids('status=pending')).toEqual([]);
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await list(`limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      if (!page.meta.pagination?.has_more) break;
      cursor = page.meta.pagination.next_cursor;
    }
    expect(seen).toEqual(made.toReversed());
    expect(seen[0]).toBe(sent);
    expectError(await list('status=lost'), 400, 'VALIDATION_ERROR');
    expectError(await list('event=*'), 400, 'VALIDATION_ERROR');
  });

  it('contain the first line of each response in the list, and all of it on their own', async () => {
    const admin = await keyClient({ role: 'admin' });
    const webhook = await makeWebhook();
    const { id } = await makeAbandonedDelivery(webhook.id);
    const answer = 'HTTP/1.1 500 Oh no\ncontent-type: text/plain\n\nA stack trace\nof two lines';
    const attempt = { deliveryId: id, startedAt: new Date(), durationMs: 7, statusCode: 500, failure: 'status' };
    await db.webhookAttempt.createMany({ data: [1, 2].map((number) => ({ ...attempt, number, answer })) });
    const { data: listed } = await admin.get(`/webhooks/${webhook.id}/deliveries`);
    expect(listed[0].attempts).toMatchObject([
      { number: 1, answer: 'HTTP/1.1 500 Oh no' },
      { number: 2, answer: 'HTTP/1.1 500 Oh no' },
    ]);
    const { data: shown } = await admin.get(`/webhooks/${webhook.id}/deliveries/${id}`);
    expect(shown.attempts).toMatchObject([
      { number: 1, answer },
      { number: 2, answer },
    ]);
  });

  it('report the remaining attempts, including one in flight', async () => {
    const admin = await keyClient({ role: 'admin' });
    const webhook = await makeWebhook();
    const { id, eventId } = await makeAbandonedDelivery(webhook.id);
    const left = async (data: object) => {
      await db.webhookDelivery.update({ where: { id }, data });
      return (await admin.get(`/webhooks/${webhook.id}/deliveries/${id}`)).data.attempts_left;
    };
    expect(await left({})).toBe(0);
    expect(await left({ status: 'pending', failureCount: 0, nextAttemptAt: new Date() })).toBe(6);
    expect(await left({ status: 'retrying', failureCount: 2 })).toBe(4);
    expect(await left(LEASED)).toBe(4);
    expect(await left({ failureCount: 5 })).toBe(1);
    await db.event.update({ where: { id: eventId }, data: { isTest: true } });
    expect(await left({ failureCount: 0 })).toBe(1);
  });

  it('are in flight while their lease lasts, and no longer', async () => {
    const admin = await keyClient({ role: 'admin' });
    const webhook = await makeWebhook();
    const { id } = await makeAbandonedDelivery(webhook.id);
    const inFlight = async (data: object) => {
      await db.webhookDelivery.update({ where: { id }, data });
      return (await admin.get(`/webhooks/${webhook.id}/deliveries/${id}`)).data.in_flight;
    };
    expect(await inFlight({})).toBe(false);
    expect(await inFlight({ status: 'retrying', ...LEASED })).toBe(true);
    expect(await inFlight({ nextAttemptAt: new Date(Date.now() - 1) })).toBe(false);
    expect(await inFlight({ nextAttemptAt: LEASED.nextAttemptAt, leaseToken: null })).toBe(false);
  });
});

describe('the audit log', () => {
  it('records tests, replays and rotations without any secret', async () => {
    const admin = await keyClient({ role: 'admin' });
    const { id: domainId } = await makeDomain();
    const { data: webhook } = await admin.post('/webhooks', { url: URL, events: ['*'], domain_id: domainId });
    const delivery = await makeAbandonedDelivery(webhook.id);
    const path = `/webhooks/${webhook.id}`;
    const { data: test } = await admin.post(`${path}/test`, { event: 'mail.sent' });
    await admin.post(`${path}/deliveries/${delivery.id}/replay`);
    await admin.post(`${path}/replay`, { since: '2020-01-01T00:00:00Z' });
    const { data: rotated } = await admin.post(`${path}/rotate-secret`, { grace_hours: 1 });
    const entries = await db.auditEntry.findMany({ where: { adminId: admin.admin.id }, orderBy: { createdAt: 'asc' } });
    const same = { resource: `webhook:${webhook.id}`, domainId, outcome: 'success' };
    expect(entries).toMatchObject([
      { ...same, action: 'webhook.create' },
      { ...same, action: 'webhook.test', details: { event: 'mail.sent', delivery_id: test.id } },
      { ...same, action: 'webhook.replay', details: { delivery_id: delivery.id, after: { status: 'pending' } } },
      { ...same, action: 'webhook.replay_failed', details: { replayed: 0, remaining: 0 } },
      { ...same, action: 'webhook.rotate_secret', details: { grace_hours: 1 } },
    ]);
    for (const secret of [webhook.secret, rotated.secret]) {
      expect(secret).toMatch(/^whsec_/);
      expect(JSON.stringify(entries)).not.toContain(secret.slice('whsec_'.length));
    }
  });

  it('hides path and query of a URL from a domain_admin, but shows that they changed', async () => {
    const admin = await keyClient({ role: 'admin' });
    const { id: domainId } = await makeDomain();
    const body = { events: ['*'], domain_id: domainId, url: 'https://hooks.example.com/hush/one?token=hush' };
    const { data: webhook } = await admin.post('/webhooks', body);
    await admin.patch(`/webhooks/${webhook.id}`, { url: 'https://hooks.example.com/hush/two?token=hush' });
    await admin.patch(`/webhooks/${webhook.id}`, { name: 'Billing' });
    await admin.delete(`/webhooks/${webhook.id}`);
    const reader = await keyClient({ role: 'domain_admin', domainIds: [domainId] });
    const { data } = await reader.get(`/audit?resource=webhook:${webhook.id}`);
    expect(data).toHaveLength(4);
    expect(JSON.stringify(data)).not.toContain('hush');
    const [, renamed, moved] = data;
    expect(moved.details.before.url).toMatch(/^https:\/\/hooks\.example\.com\/… \(sha256 [0-9a-f]{12}\)$/);
    expect(moved.details.after.url).not.toBe(moved.details.before.url);
    expect(renamed.details.after.url).toBe(moved.details.after.url);
  });
});

describe('an endpoint that keeps failing', () => {
  it('raises its alert at the 31st failure in a row if there is none from the 30th', async () => {
    const { id } = await makeWebhook({ url: 'https://alert.example.com/hush?token=hush' });
    await db.webhook.updateMany({ where: { id: { not: id } }, data: { active: false } });
    await db.webhook.update({ where: { id }, data: { failuresInRow: 28 } });
    const fail = async () => {
      const delivery = await makeAbandonedDelivery(id);
      const due = { status: 'pending', failureCount: 0, nextAttemptAt: new Date(Date.now() - 1_000) } as const;
      await db.webhookDelivery.update({ where: { id: delivery.id }, data: due });
      const deliverer = createDeliverer({ db, post: async () => answered(500), now: () => new Date() });
      expect(await deliverer.sweep(60_000)).toEqual({ attempted: 1, delivered: 0, failed: 1 });
      await deliverer.stop();
    };
    const alerts = () =>
      db.alert.findMany({ where: { subject: { contains: id } }, select: { kind: true, count: true } });
    await fail();
    expect(await alerts()).toEqual([]);
    await fail();
    expect(await alerts()).toEqual([{ kind: 'webhook_failing', count: 30 }]);
    await db.alert.deleteMany({ where: { subject: { contains: id } } });
    await fail();
    expect(await alerts()).toEqual([{ kind: 'webhook_failing', count: 31 }]);
  });
});

const LEASED = { leaseToken: '019ac000-0000-7000-8000-00000000000a', nextAttemptAt: new Date('2100-01-01T00:00:00Z') };
const WAIT = { timeout: 30_000 };

/** Until the test ends, deliveries of this process wait in `waiting` until the test responds to each. */
function holdDeliveries() {
  const shared = processWide<Deliverer>('deliverer');
  const before = shared.current;
  const waiting: ((result: OutboundResult) => void)[] = [];
  const post = () => new Promise<OutboundResult>((resolve) => waiting.push(resolve));
  const deliverer = createDeliverer({ db, post, now: () => new Date() });
  shared.current = deliverer;
  onTestFinished(async () => {
    shared.current = before;
    for (const end of waiting) end(answered(500));
    await deliverer.stop();
  });
  return { waiting };
}
