import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeWebhook, unique } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { deleteOldEvents } from './retention';
import { sequenceEvents } from './sequence';
import { emitBody, emitEvent, hasSubscribers, insertTestEvent } from './service';

const DAY_MS = 24 * 60 * 60 * 1000;

type Listed = { sequence: number; body: { id: string } };

describe('the feed', () => {
  it('gives every event of every type once and in order, page by page, and goes on from the last place', async () => {
    const { get } = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const ids: string[] = [];
    for (let count = 0; count < 7; count++) ids.push(await emit(domain.id));
    await sequenceEvents(db);
    const seen: Listed[] = [];
    let after = '0';
    for (let hasMore = true; hasMore; ) {
      const page = await get(`/events?domain_id=${domain.id}&limit=3&after=${after}`);
      seen.push(...page.data);
      after = page.meta.pagination?.next_cursor ?? '';
      hasMore = page.meta.pagination?.has_more ?? false;
    }
    expect(seen.map(({ body }) => body.id)).toEqual(ids);
    expect(seen.map(({ sequence }) => sequence)).toEqual(
      seen.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    );
    const nothing = await get(`/events?domain_id=${domain.id}&after=${after}`);
    expect(nothing.meta.pagination).toEqual({ next_cursor: after, has_more: false });
    const next = await emit(domain.id);
    await sequenceEvents(db);
    const more = await get(`/events?domain_id=${domain.id}&after=${after}`);
    expect(more.data.map(({ body }: Listed) => body.id)).toEqual([next]);
  });

  it('passes over no event whose transaction ends after a later one', async () => {
    const { get } = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const seen: string[] = [];
    let after = '0';
    const read = async () => {
      await sequenceEvents(db);
      const page = await get(`/events?domain_id=${domain.id}&after=${after}`);
      after = page.meta.pagination?.next_cursor ?? after;
      seen.push(...page.data.map(({ body }: Listed) => body.id));
    };
    let early = '';
    await db.$transaction(async (tx) => {
      early = await emit(domain.id, tx);
      const late = await emit(domain.id);
      await read();
      expect(seen).toEqual([late]);
    });
    await read();
    expect(seen).toHaveLength(2);
    expect(seen).toContain(early);
  });

  it('is filtered by type and time, and refuses what is no place', async () => {
    const { get } = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    await emit(domain.id);
    const bounced = await emit(domain.id, db, 'mail.bounced');
    await sequenceEvents(db);
    const typed = await get(`/events?domain_id=${domain.id}&event=mail.bounced`);
    expect(typed.data.map(({ body }: Listed) => body.id)).toEqual([bounced]);
    expect((await get(`/events?domain_id=${domain.id}&since=2100-01-01T00:00:00Z`)).data).toEqual([]);
    for (const after of ['-1', 'x', '1e3', '9'.repeat(16), '0x1']) {
      expectError(await get(`/events?after=${after}`), 400, 'INVALID_PAGINATION');
    }
    expectError(await get('/events?limit=201'), 400, 'INVALID_PAGINATION');
  });

  it('leaves out test events, and the content of received mail', async () => {
    const admin = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const webhook = await makeWebhook({ domainId: domain.id });
    await admin.post(`/webhooks/${webhook.id}/test`);
    await emit(domain.id, db, 'mail.received.full');
    await sequenceEvents(db);
    expect((await admin.get(`/events?domain_id=${domain.id}`)).data).toEqual([]);
  });

  it('shows a scoped key the events of its domains alone, and a domain_admin none', async () => {
    const [mine, other] = await Promise.all([makeDomain(), makeDomain()]);
    const own = await emit(mine.id);
    await emit(other.id);
    await emit(null);
    await sequenceEvents(db);
    const key = await keyClient({ role: 'admin', scopedDomainIds: [mine.id] });
    expect((await key.get('/events')).data.map(({ body }: Listed) => body.id)).toEqual([own]);
    const domainAdmin = await keyClient({ role: 'domain_admin', domainIds: [mine.id] });
    expectError(await domainAdmin.get('/events'), 403, 'FORBIDDEN');
  });

  it('ends a page early rather than answer with many megabytes', async () => {
    const { get } = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const body = JSON.stringify({
      id: 'x',
      event: 'mail.sent',
      timestamp: '2026-01-01T00:00:00.000Z',
      data: { s: 'x'.repeat(3_000_000) },
    });
    const data = { type: 'mail.sent', domainId: domain.id, body, bodyBytes: body.length };
    await db.event.createMany({ data: [data, data, data] });
    await sequenceEvents(db);
    const page = await get(`/events?domain_id=${domain.id}`);
    expect(page.data).toHaveLength(1);
    expect(page.meta.pagination?.has_more).toBe(true);
  });
});

describe('a place in the feed', () => {
  it('that was never given is refused, the last one given is not', async () => {
    const { get } = await keyClient({ role: 'admin' });
    await emit(null);
    await sequenceEvents(db);
    const last = await newestPlace();
    expect((await get(`/events?after=${last}`)).meta.pagination).toEqual({ next_cursor: `${last}`, has_more: false });
    const answer = expectError(await get(`/events?after=${last + 1n}`), 400, 'INVALID_PAGINATION');
    expect(answer.error.details.fields?.map(({ path }) => path)).toEqual(['after']);
    expect(answer.error.message).toContain(`${last}`);
  });

  it('moves on to the newest one where the filter matches nothing', async () => {
    const { get } = await keyClient({ role: 'admin' });
    const [quiet, busy] = await Promise.all([makeDomain(), makeDomain()]);
    await emit(busy.id);
    await sequenceEvents(db);
    const before = await newestPlace();
    for (let count = 0; count < 3; count++) await emit(busy.id);
    await sequenceEvents(db);
    const newest = await newestPlace();
    expect(newest).toBe(before + 3n);
    for (const filter of [`domain_id=${quiet.id}`, 'event=mail.spam', 'since=2100-01-01T00:00:00Z']) {
      const page = await get(`/events?${filter}&after=${before}`);
      expect(page.data).toEqual([]);
      expect(page.meta.pagination).toEqual({ next_cursor: `${newest}`, has_more: false });
    }
  });

  it('shows a key scoped to a domain that is gone no event of it, which outlives it', async () => {
    const [gone, kept] = await Promise.all([makeDomain(), makeDomain()]);
    const lost = await emit(gone.id);
    const own = await emit(kept.id);
    await sequenceEvents(db);
    const key = await keyClient({ role: 'admin', scopedDomainIds: [gone.id, kept.id] });
    const seen = async () => (await key.get('/events')).data.map(({ body }: Listed) => body.id);
    expect(await seen()).toEqual([lost, own]);
    await db.domain.delete({ where: { id: gone.id } });
    expect(await db.event.count({ where: { domainId: gone.id } })).toBe(1);
    expect(await seen()).toEqual([own]);
    expectError(await key.get(`/events?domain_id=${gone.id}`), 404, 'DOMAIN_NOT_FOUND');
  });
});

describe('old events', () => {
  it('go with their deliveries after the days they are kept, the content of received mail after 3', async () => {
    const { id: webhookId } = await makeWebhook();
    const now = new Date();
    const kept = await emitLong(daysBefore(now, 2));
    const emptied = await emitLong(daysBefore(now, 4));
    const due = await emitLong(daysBefore(now, 4));
    const gone = await emitLong(daysBefore(now, 31));
    await db.webhookDelivery.updateMany({ where: { eventId: { not: due } }, data: { nextAttemptAt: null } });

    await deleteOldEvents(db, now, 30);

    const parts = (eventId: string) => db.eventPart.count({ where: { eventId } });
    expect([await parts(kept), await parts(emptied), await parts(due)]).toEqual([2, 0, 2]);
    expect(await db.event.findUnique({ where: { id: emptied } })).not.toBeNull();
    expect(await db.event.findUnique({ where: { id: gone } })).toBeNull();
    expect(await db.webhookDelivery.count({ where: { webhookId } })).toBe(3);
  });

  it('of received mail lose content that stands inline too, and are not sent again', async () => {
    const admin = await keyClient({ role: 'admin' });
    const { id: webhookId } = await makeWebhook();
    const now = new Date();
    const [emptied, due, young, plain] = await Promise.all([
      emitInline(daysBefore(now, 4)),
      emitInline(daysBefore(now, 4)),
      emitInline(daysBefore(now, 2)),
      emitInline(daysBefore(now, 4), 'mail.received'),
    ]);
    const finished = { status: 'abandoned', nextAttemptAt: null, finishedAt: now } as const;
    await db.webhookDelivery.updateMany({ where: { eventId: { not: due } }, data: finished });

    await deleteOldEvents(db, now, 30);

    const content = async (id: string) =>
      db.event.findUnique({ where: { id }, select: { body: true, bodyBytes: true } });
    expect(await content(emptied)).toEqual({ body: null, bodyBytes: 0 });
    for (const id of [due, young, plain]) expect(await content(id)).toEqual({ body: '{"inline":1}', bodyBytes: 12 });
    const { id } = await db.webhookDelivery.findFirstOrThrow({ where: { eventId: emptied, webhookId } });
    expectError(await admin.post(`/webhooks/${webhookId}/deliveries/${id}/replay`), 409, 'CONFLICT');

    await db.webhookDelivery.updateMany({ where: { eventId: due }, data: finished });
    await deleteOldEvents(db, now, 30);
    expect(await content(due)).toEqual({ body: null, bodyBytes: 0 });
  });

  it('stay 30 days longer while a delivery of them is due', async () => {
    const { id: webhookId } = await makeWebhook();
    const now = new Date();
    const [due, done, overdue] = await Promise.all([
      emitInline(daysBefore(now, 59), 'mail.sent'),
      emitInline(daysBefore(now, 31), 'mail.sent'),
      emitInline(daysBefore(now, 61), 'mail.sent'),
    ]);
    await db.webhookDelivery.updateMany({ where: { eventId: done }, data: { nextAttemptAt: null } });
    await deleteOldEvents(db, now, 30);
    const left = await db.event.findMany({ where: { id: { in: [due, done, overdue] } }, select: { id: true } });
    expect(left).toEqual([{ id: due }]);
    const deliveries = await db.webhookDelivery.findMany({ where: { webhookId }, select: { eventId: true } });
    expect(deliveries).toEqual([{ eventId: due }]);
  });

  it('that were tests are given up where a crash left them, and not while they are under way', async () => {
    const { id: webhookId } = await makeWebhook({ active: false });
    const now = new Date();
    const lease = async (seconds: number) => {
      const eventId = await insertTestEvent(db, { type: 'mail.sent', domainId: null, at: now });
      await db.$executeRaw`
        INSERT INTO webhook_delivery (id, webhook_id, event_id, lease_token, next_attempt_at)
        VALUES (uuid_v7(), ${webhookId}::uuid, ${eventId}::uuid, gen_random_uuid(),
                now() + make_interval(secs => ${seconds}::int))`;
      return eventId;
    };
    const [left, underWay] = [await lease(-1), await lease(3600)];
    await deleteOldEvents(db, now, 30);
    const row = (eventId: string) => db.webhookDelivery.findFirstOrThrow({ where: { eventId } });
    expect(await row(left)).toMatchObject({
      status: 'abandoned',
      nextAttemptAt: null,
      leaseToken: null,
      finishedAt: expect.any(Date),
    });
    expect(await row(underWay)).toMatchObject({
      status: 'pending',
      nextAttemptAt: expect.any(Date),
      leaseToken: expect.any(String),
    });
  });

  it('are joined by the deliveries of webhooks that are gone', async () => {
    const [gone, kept] = await Promise.all([makeWebhook(), makeWebhook()]);
    await emit(null);
    await db.webhook.delete({ where: { id: gone.id } });
    await deleteOldEvents(db, new Date(), 30);
    expect(await db.webhookDelivery.count({ where: { webhookId: gone.id } })).toBe(0);
    expect(await db.webhookDelivery.count({ where: { webhookId: kept.id } })).toBe(1);
  });
});

describe('what is costly to make', () => {
  it('is asked for by an active webhook of the type or all types, for one of the domains or all', async () => {
    await db.webhook.deleteMany();
    const [domain, other] = await Promise.all([makeDomain(), makeDomain()]);
    const asked = () => hasSubscribers(db, 'mail.received.full', [domain.id]);
    await makeWebhook({ events: ['mail.received'] });
    await makeWebhook({ events: ['*'], domainId: other.id });
    await makeWebhook({ events: ['*'], active: false });
    expect(await asked()).toBe(false);
    await makeWebhook({ events: ['*'], domainId: domain.id });
    expect(await asked()).toBe(true);
  });
});

type Db = Parameters<typeof emitEvent>[0];

async function emit(domainId: string | null, tx: Db = db, type: Parameters<typeof emitEvent>[1]['type'] = 'mail.sent') {
  const messageId = `<${unique()}@example.com>`;
  await emitEvent(tx, { type, messageId, messageRowId: null, domainId, at: new Date(), data: { to: 'a@b.example' } });
  return messageId;
}

async function emitLong(at: Date): Promise<string> {
  const body = new TextEncoder().encode(JSON.stringify('x'.repeat(800_000)));
  const subject = { type: 'mail.received.full' as const, messageRowId: null, domainId: null, recipient: unique(), at };
  await emitBody(db, subject, body);
  return (await db.event.findFirstOrThrow({ where: { recipient: subject.recipient } })).id;
}

async function emitInline(at: Date, type: 'mail.received.full' | 'mail.received' | 'mail.sent' = 'mail.received.full') {
  const subject = { type, messageRowId: null, domainId: null, recipient: unique(), at };
  await emitBody(db, subject, new TextEncoder().encode('{"inline":1}'));
  return (await db.event.findFirstOrThrow({ where: { recipient: subject.recipient } })).id;
}

async function newestPlace(): Promise<bigint> {
  const { _max } = await db.event.aggregate({ _max: { sequence: true } });
  return _max.sequence ?? 0n;
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}
