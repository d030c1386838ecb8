import { uuidv7 } from '@/lib/uuid';
import { insertTestEvent } from '@/modules/events/service';
import type { Tx } from '@/server/database/db';
import { AppError, notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { headersOf } from './delivery/attempt';
import { LEASE } from './delivery/claim';
import { RETRY_DELAYS_SECONDS } from './delivery/finish';
import { deliverer } from './delivery/process';
import { deliveryList, type ListDeliveries } from './lists';
import type {
  AttemptFailure,
  ByDelivery,
  Delivery,
  DeliveryRequest,
  Replayed,
  ReplayFailed,
  TestWebhook,
} from './schema';
import { requireWebhook } from './service';

const MAX_REPLAYED = 20_000;
const ATTEMPTS_SHOWN = 20;
const BODY_SHOWN_CHARS = 16_384;

export async function listDeliveries(ctx: ActorContext, input: ListDeliveries): Promise<Page<Delivery>> {
  await requireWebhook(ctx, ctx.db, input.id);
  const { id: webhookId, status, event: type, since, until } = input;
  const createdAt = { gte: since, lt: until };
  const filters = { webhookId, status, createdAt, ...(type && { event: { type } }) };
  return paginate(deliveryList, input, {
    fetch: ({ where, ...keyset }) =>
      ctx.db.webhookDelivery.findMany({ ...keyset, select: FIELDS, where: { AND: [where, filters] } }),
    // No index of deliveries has the type of their event.
    count: async (take) => (type ? null : ctx.db.webhookDelivery.count({ where: filters, take })),
    present: (row: Row) => withFirstLines(present(row, ctx.clock.now())),
  });
}

export async function getDelivery(
  ctx: ActorContext,
  { id, delivery_id: deliveryId }: ByDelivery,
): Promise<DeliveryRequest> {
  await requireWebhook(ctx, ctx.db, id);
  const row = await requireDelivery(ctx.db, id, deliveryId);
  const { id: eventId, type, bodyBytes } = row.event;
  const { body } = await ctx.db.event.findUniqueOrThrow({ where: { id: eventId }, select: { body: true } });
  const shown = body ?? (await firstPart(ctx.db, eventId));
  const attemptCount = row.nextAttemptAt === null ? row.attemptCount - 1 : row.attemptCount;
  return {
    ...present(row, ctx.clock.now()),
    request: {
      headers: headersOf({ id: row.id, type, attemptCount }),
      body: shown.slice(0, BODY_SHOWN_CHARS).toWellFormed(),
      body_bytes: bodyBytes,
    },
  };
}

/**
 * Sends a sample event once, without retries, also to an inactive webhook, and returns the result.
 * @throws RATE_LIMIT_EXCEEDED while 2 tests of this webhook, or 16 in total, are in flight
 */
export async function testWebhook(ctx: MutationContext, { id, event: type }: TestWebhook): Promise<Delivery> {
  const { domainId } = await requireWebhook(ctx, ctx.db, id);
  const releaseSlot = deliverer().reserveTestSlot(id);
  if (!releaseSlot) throw tooManyTests();
  try {
    const test = { id: uuidv7(), token: uuidv7(), webhookId: id };
    const eventId = await ctx.transaction(async ({ tx, audit }) => {
      await audit({ resource: `webhook:${id}`, domainId, details: { event: type, delivery_id: test.id } });
      return insertTest(tx, test, { type, domainId, at: ctx.clock.now() });
    });
    await deliverer().deliver({ ...test, eventId, attemptCount: 0, isFailing: false });
    return present(await requireDelivery(ctx.db, id, test.id), ctx.clock.now());
  } finally {
    releaseSlot();
  }
}

/**
 * Replays a delivery with the same id and new retries. One that is waiting for a retry is attempted immediately.
 * @throws CONFLICT if an attempt is in flight, the first attempt is still pending, the webhook is inactive, or the body
 *   was deleted after its retention period
 */
export async function replayDelivery(
  ctx: MutationContext,
  { id, delivery_id: deliveryId }: ByDelivery,
): Promise<Delivery> {
  return ctx.transaction(async ({ tx, audit }) => {
    const webhook = await requireWebhook(ctx, tx, id);
    const before = await requireDelivery(tx, id, deliveryId);
    if (!webhook.active) throw webhookInactive();
    if (before.event.bodyBytes === 0) {
      throw new AppError(
        'CONFLICT',
        'The content of this event was deleted after its retention period, so it can’t be replayed.',
      );
    }
    const replayed = await tx.$executeRaw`
      UPDATE webhook_delivery SET ${NEW_ROUND}
       WHERE id = ${deliveryId}::uuid AND lease_token IS NULL AND status <> 'pending'`;
    if (replayed === 0) {
      throw new AppError(
        'CONFLICT',
        'An attempt is in progress or still pending. Replay the delivery after it finishes.',
      );
    }
    const after = present(await requireDelivery(tx, id, deliveryId), ctx.clock.now());
    const states = { before: { status: before.status }, after: { status: after.status } };
    await audit({
      resource: `webhook:${id}`,
      domainId: webhook.domainId,
      ...states,
      details: { delivery_id: deliveryId },
    });
    return after;
  });
}

/** Replays the deliveries that were created since a given time and abandoned, oldest first. Leaves out tests. */
export async function replayFailed(ctx: MutationContext, { id, since }: ReplayFailed): Promise<Replayed> {
  return ctx.transaction(async ({ tx, audit }) => {
    const webhook = await requireWebhook(ctx, tx, id);
    if (!webhook.active) throw webhookInactive();
    const replayed = await tx.$executeRaw`
      UPDATE webhook_delivery SET ${NEW_ROUND}
       WHERE id IN (
         SELECT d.id FROM webhook_delivery d JOIN event e ON e.id = d.event_id
          WHERE d.webhook_id = ${id}::uuid AND d.status = 'abandoned' AND d.created_at >= ${new Date(since)}
            AND NOT e.is_test AND e.body_bytes > 0
          ORDER BY d.created_at LIMIT ${MAX_REPLAYED} FOR UPDATE OF d SKIP LOCKED)`;
    const remaining =
      replayed < MAX_REPLAYED
        ? 0
        : await tx.webhookDelivery.count({
            where: {
              webhookId: id,
              status: 'abandoned',
              createdAt: { gte: new Date(since) },
              event: { isTest: false, bodyBytes: { gt: 0 } },
            },
          });
    await audit({ resource: `webhook:${id}`, domainId: webhook.domainId, details: { since, replayed, remaining } });
    return { replayed, remaining };
  });
}

const NEW_ROUND = Prisma.sql`
  status = 'pending', failure_count = 0, finished_at = NULL, next_attempt_at = now()`;

type ClaimedTest = { id: string; token: string; webhookId: string };

async function insertTest(
  tx: Tx,
  { id, token, webhookId }: ClaimedTest,
  event: Parameters<typeof insertTestEvent>[1],
): Promise<string> {
  const eventId = await insertTestEvent(tx, event);
  await tx.$executeRaw`
    INSERT INTO webhook_delivery (id, webhook_id, event_id, lease_token, next_attempt_at)
    VALUES (${id}::uuid, ${webhookId}::uuid, ${eventId}::uuid, ${token}::uuid, ${LEASE.end})`;
  return eventId;
}

async function firstPart(db: Tx, eventId: string): Promise<string> {
  const part = await db.eventPart.findUnique({ where: { eventId_position: { eventId, position: 0 } } });
  return part ? new TextDecoder().decode(part.bytes) : '';
}

function tooManyTests(): AppError {
  const message = 'Too many webhook tests are in progress. Try again in 10 seconds.';
  return new AppError('RATE_LIMIT_EXCEEDED', message, { headers: { 'Retry-After': '10' } });
}

function webhookInactive(): AppError {
  return new AppError('CONFLICT', 'The webhook is inactive. Activate it, then replay.');
}

async function requireDelivery(db: Tx, webhookId: string, id: string): Promise<Row> {
  const row = await db.webhookDelivery.findFirst({ where: { id, webhookId }, select: FIELDS });
  if (!row) throw notFound('delivery');
  return row;
}

const FIELDS = {
  id: true,
  webhookId: true,
  status: true,
  attemptCount: true,
  failureCount: true,
  nextAttemptAt: true,
  leaseToken: true,
  createdAt: true,
  finishedAt: true,
  event: { select: { id: true, type: true, messageRowId: true, recipient: true, isTest: true, bodyBytes: true } },
  attempts: { orderBy: { number: 'desc' }, take: ATTEMPTS_SHOWN },
} satisfies Prisma.WebhookDeliverySelect;

type Row = Prisma.WebhookDeliveryGetPayload<{ select: typeof FIELDS }>;

function attemptsLeft({ nextAttemptAt, event, failureCount }: Row): number {
  if (nextAttemptAt === null) return 0;
  return event.isTest ? 1 : RETRY_DELAYS_SECONDS.length + 1 - failureCount;
}

/** Lists are polled often, and responses can be long. */
function withFirstLines(delivery: Delivery): Delivery {
  const attempts = delivery.attempts.map(({ answer, ...attempt }) => ({
    ...attempt,
    answer: answer.split('\n', 1)[0] ?? '',
  }));
  return { ...delivery, attempts };
}

function present(row: Row, now: Date): Delivery {
  const { event } = row;
  return {
    id: row.id,
    webhook_id: row.webhookId,
    event: event.type as Delivery['event'],
    event_id: event.id,
    stored_message_id: event.messageRowId,
    recipient: event.recipient,
    is_test: event.isTest,
    status: row.status,
    in_flight: row.leaseToken !== null && row.nextAttemptAt !== null && row.nextAttemptAt > now,
    attempts: row.attempts.toReversed().map((attempt) => ({
      number: attempt.number,
      started_at: attempt.startedAt.toISOString(),
      duration_ms: attempt.durationMs,
      status_code: attempt.statusCode,
      failure: attempt.failure as AttemptFailure | null,
      answer: attempt.answer,
      remote_address: attempt.remoteAddress,
    })),
    attempt_count: row.attemptCount,
    attempts_left: attemptsLeft(row),
    next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}
