import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { emit } from '@/test/events';
import { makeWebhook, unique } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { deleteOldEvents } from './retention';
import { emitBody, insertTestEvent } from './service';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('old events', () => {
  it('are deleted with their deliveries after the retention period, content of received mail after 3 days', async () => {
    const { id: webhookId } = await makeWebhook();
    const now = new Date();
    const kept = await emitLong(daysBefore(now, 2));
    const emptied = await emitLong(daysBefore(now, 4));
    const due = await emitLong(daysBefore(now, 4));
    const expired = await emitLong(daysBefore(now, 31));
    await db.webhookDelivery.updateMany({ where: { eventId: { not: due } }, data: { nextAttemptAt: null } });

    await deleteOldEvents(db, now, 30);

    const parts = (eventId: string) => db.eventPart.count({ where: { eventId } });
    expect([await parts(kept), await parts(emptied), await parts(due)]).toEqual([2, 0, 2]);
    expect(await db.event.findUnique({ where: { id: emptied } })).not.toBeNull();
    expect(await db.event.findUnique({ where: { id: expired } })).toBeNull();
    expect(await db.webhookDelivery.count({ where: { webhookId } })).toBe(3);
  });

  it('of received mail lose inline content too, and can’t be replayed', async () => {
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

  it('are kept 30 days longer while a delivery is pending', async () => {
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

  it('for tests are abandoned after a crash, but not while they are in progress', async () => {
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
    const [stale, inProgress] = [await lease(-1), await lease(3600)];
    await deleteOldEvents(db, now, 30);
    const row = (eventId: string) => db.webhookDelivery.findFirstOrThrow({ where: { eventId } });
    expect(await row(stale)).toMatchObject({
      status: 'abandoned',
      nextAttemptAt: null,
      leaseToken: null,
      finishedAt: expect.any(Date),
    });
    expect(await row(inProgress)).toMatchObject({
      status: 'pending',
      nextAttemptAt: expect.any(Date),
      leaseToken: expect.any(String),
    });
  });

  it('include the deliveries of deleted webhooks', async () => {
    const [deleted, kept] = await Promise.all([makeWebhook(), makeWebhook()]);
    await emit(null);
    await db.webhook.delete({ where: { id: deleted.id } });
    await deleteOldEvents(db, new Date(), 30);
    expect(await db.webhookDelivery.count({ where: { webhookId: deleted.id } })).toBe(0);
    expect(await db.webhookDelivery.count({ where: { webhookId: kept.id } })).toBe(1);
  });
});

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

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}
