import { emitEvent } from '@/modules/events/service';
import type { Post } from '@/modules/webhooks/delivery/attempt';
import { createDeliverer } from '@/modules/webhooks/delivery/deliverer';
import { db } from '@/test/database';
import { unique } from '@/test/factories';

export const now = () => new Date();

export function emission({ domainId = null as string | null, marker = unique(), subject = 's' } = {}) {
  const messageId = `<${marker}@example.com>`;
  const data = {
    message_id: messageId,
    from: 'a@example.com',
    to: ['b@far.example'],
    subject,
    domain: 'example.com',
  };
  return { type: 'mail.sent' as const, messageId, messageRowId: null, domainId, at: now(), data };
}

export async function emit(over: { domainId?: string } = {}): Promise<string> {
  const marker = unique();
  await emitEvent(db, emission({ ...over, marker }));
  const { id } = await db.event.findFirstOrThrow({ where: { body: { contains: marker } } });
  return id;
}

/** Runs one sweep with its own deliverer, then stops it. */
export async function deliver(endpoint: { post: Post }) {
  const deliverer = createDeliverer({ db, post: endpoint.post, now });
  const report = await deliverer.sweep(30_000);
  await deliverer.stop();
  return report;
}

export function onlyDelivery(webhookId: string) {
  return db.webhookDelivery.findFirstOrThrow({
    where: { webhookId },
    include: { attempts: { orderBy: { number: 'asc' } } },
  });
}

export function makeDue(webhookId: string) {
  return db.$executeRaw`
    UPDATE webhook_delivery SET next_attempt_at = now() - interval '1 second'
     WHERE webhook_id = ${webhookId}::uuid AND next_attempt_at IS NOT NULL`;
}

export async function secondsUntil(webhookId: string): Promise<number> {
  const [row] = await db.$queryRaw<{ seconds: number }[]>`
    SELECT extract(epoch FROM next_attempt_at - now())::float8 AS seconds FROM webhook_delivery
     WHERE webhook_id = ${webhookId}::uuid`;
  return row?.seconds ?? Number.NaN;
}
