import { RETRY_DELAYS_SECONDS } from '@/modules/webhooks/delivery/finish';
import type { DemoContext } from '../demo-context';
import type { DemoEvent } from '../mail/outbox';
import { insertRows } from '../rows';
import { after, before, MINUTE_MS, SECOND_MS } from '../time';
import { type Answer, outcomeOf } from './answers';
import { type DemoWebhook, isSubscribed } from './webhooks';

type DeliveryRow = {
  id: string;
  webhook_id: string;
  event_id: string;
  status: 'pending' | 'retrying' | 'delivered' | 'abandoned';
  attempt_count: number;
  failure_count: number;
  next_attempt_at: Date | null;
  created_at: Date;
  finished_at: Date | null;
};

type AttemptRow = {
  delivery_id: string;
  number: number;
  started_at: Date;
  duration_ms: number;
  status_code: number | null;
  failure: string | null;
  answer: string;
  remote_address: string | null;
};

/** No delivery is due earlier than this after seeding. */
const SPARED_MS = 10 * MINUTE_MS;
/** Pending deliveries of an endpoint that was deactivated with a backlog. */
const BACKLOG = 7;

/** A delivery of every event to every subscribed webhook, with its attempts so far. */
export async function seedDeliveries(
  ctx: DemoContext,
  webhooks: readonly DemoWebhook[],
  events: readonly DemoEvent[],
): Promise<void> {
  for (const webhook of webhooks) {
    const heard = events.filter(({ type, domainId, createdAt: at }) => isSubscribed(webhook, { type, domainId, at }));
    const untried = webhook.deactivatedAt === null ? [] : heard.slice(-BACKLOG);
    const deliveries = heard.map((event) => deliver(ctx, webhook, event, untried.includes(event)));
    const attempts = deliveries.flatMap((delivery) => delivery.attempts);
    await insertRows(
      ctx.tx,
      'webhook_delivery',
      deliveries.map(({ row }) => row),
    );
    await insertRows(ctx.tx, 'webhook_attempt', attempts);
    await countFailures(ctx, webhook, attempts);
  }
}

function deliver(ctx: DemoContext, webhook: DemoWebhook, event: DemoEvent, isUntried: boolean) {
  const { now, random } = ctx;
  const { createdAt } = event;
  const row: DeliveryRow = {
    id: random.uuidAt(createdAt),
    webhook_id: webhook.id,
    event_id: event.id,
    status: 'pending',
    attempt_count: 0,
    failure_count: 0,
    next_attempt_at: after(createdAt, random.int(20, 400)),
    created_at: createdAt,
    finished_at: null,
  };
  const attempts: AttemptRow[] = [];
  const stopsAt = webhook.deactivatedAt ?? now;
  const isInTime = (at: Date) => at < stopsAt;
  const passing: Answer = random.weighted([
    ['crashed', 4],
    ['throttled', 3],
    ['refused', 2],
    ['timeout', 1],
  ]);
  while (!isUntried && row.next_attempt_at && isInTime(row.next_attempt_at)) {
    const startedAt = row.next_attempt_at;
    const { durationMs, statusCode, failure, answer } = outcomeOf(
      random,
      answerAt(ctx, webhook, startedAt, row.attempt_count, passing),
    );
    row.attempt_count += 1;
    attempts.push({
      delivery_id: row.id,
      number: row.attempt_count,
      started_at: startedAt,
      duration_ms: durationMs,
      status_code: statusCode,
      failure,
      answer,
      remote_address: failure === 'connect' ? null : webhook.remoteAddress,
    });
    const endedAt = after(startedAt, durationMs);
    const delaySeconds = failure === null ? undefined : RETRY_DELAYS_SECONDS[row.failure_count];
    if (failure !== null) row.failure_count += 1;
    row.status = failure === null ? 'delivered' : delaySeconds === undefined ? 'abandoned' : 'retrying';
    row.next_attempt_at = delaySeconds === undefined ? null : after(endedAt, delaySeconds * SECOND_MS);
    row.finished_at = row.next_attempt_at === null ? endedAt : null;
  }
  const isSoon = row.next_attempt_at !== null && row.next_attempt_at < after(now, SPARED_MS);
  // Otherwise the app would attempt it as soon as it starts. It skips inactive webhooks.
  if (isSoon && webhook.deactivatedAt === null)
    row.next_attempt_at = after(now, SPARED_MS + random.int(0, 80) * MINUTE_MS);
  return { row, attempts };
}

function answerAt(
  { now, random }: DemoContext,
  { health }: DemoWebhook,
  at: Date,
  attemptsBefore: number,
  passing: Answer,
): Answer {
  if (health.kind === 'down') return at < before(now, health.sinceMs) ? 'accepted' : health.answer;
  if (health.kind === 'healthy') return 'accepted';
  return random.chance(attemptsBefore === 0 ? 0.035 : 0.3) ? passing : 'accepted';
}

/** Failures since the last successful attempt, as the app counts them. */
async function countFailures({ tx }: DemoContext, { id }: DemoWebhook, attempts: readonly AttemptRow[]): Promise<void> {
  const inOrder = attempts.toSorted((one, other) => one.started_at.getTime() - other.started_at.getTime());
  const lastSuccess = inOrder.findLastIndex(({ failure }) => failure === null);
  const failures = inOrder.slice(lastSuccess + 1);
  if (failures.length === 0) return;
  const data = { failuresInRow: failures.length, failingSince: failures[0]?.started_at };
  await tx.webhook.update({ where: { id }, data, select: { id: true } });
}
