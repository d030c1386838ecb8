import pLimit from 'p-limit';
import { parseAddress } from '@/lib/address';
import { accessibleDomainIds } from '@/server/access';
import type { RecordAudit } from '@/server/audit';
import type { ActorContext } from '@/server/context';
import type { Database } from '@/server/db';
import { AppError } from '@/server/errors';
import { log } from '@/server/log';
import { publicError } from '@/server/public-error';
import { env } from '@/server/settings/env';
import type { Fault, ReadyMessage } from './composing/message-work';
import type { PreparedBatch, PreparedSend } from './composing/prepared';
import { type Delivery, deliver, isUncertain, markUncertain, uncertain } from './deliver';
import { type Claim, claimKey, finishKey, freeKey, keepLease, type PriorMessage } from './idempotency';
import type { BatchItem, BatchSent, Sent } from './schema';

type SendContext = ActorContext & { audit: RecordAudit };

const BATCH_CONCURRENCY = 5;
const LEASE_RENEWAL_MS = 10_000;
// Far longer than any call lives, whose answer may still come.
const ABANDONED_AFTER_MS = 15 * 60 * 1000;

/** Sends one message; with an Idempotency-Key, once. @throws what {@link deliver} and {@link claimKey} throw */
export async function sendMessage(ctx: SendContext, { fingerprint, message }: PreparedSend): Promise<Sent> {
  const key = ctx.request.idempotencyKey;
  if (key === null) return deliverAudited(ctx, message);
  const { kind, claim } = await claimKey(ctx.database, ctx.actor, key, fingerprint);
  const prior = await settledPrior(ctx, claim);
  if (prior) {
    if (kind === 'claimed') await finishKey(ctx.database, claim);
    await ctx.audit({ resource: `message:${prior.id}`, details: { replayed: true, message_id: prior.messageId } });
    if (prior.status === 'uncertain') throw uncertain(prior.id, prior.messageId);
    return { message_id: prior.messageId };
  }
  try {
    const sent = await whileHolding(ctx, claim, () => deliverAudited(ctx, message, claim));
    await finishKey(ctx.database, claim);
    return sent;
  } catch (error) {
    // Only a definite failure frees the key. After anything unforeseen the lease runs out, and the row tells what was done.
    if (isUncertain(error)) await finishKey(ctx.database, claim);
    else if (error instanceof AppError) await freeKey(ctx.database, claim);
    throw error;
  }
}

/**
 * Sends each message of a batch on its own, a few at a time; a failed one does not touch the others. With an
 * Idempotency-Key a repeated call sends only what no earlier call has put on its way.
 */
export async function sendBatch(ctx: SendContext, { fingerprint, items }: PreparedBatch): Promise<BatchSent> {
  const key = ctx.request.idempotencyKey;
  if (key === null) {
    await auditBatch(ctx, items, null);
    return summary(await deliverAll(ctx, items, null));
  }
  const claimed = await claimKey(ctx.database, ctx.actor, key, fingerprint);
  const { claim } = claimed;
  if (claimed.kind === 'finished') {
    await auditBatch(ctx, items, claim, { replayed: true });
    const { results } = claimed.response as { results: BatchItem[] };
    return summary(await Promise.all(results.map((result, index) => replayed(ctx, claim, result, index))));
  }
  const results = await whileHolding(ctx, claim, async () => {
    await auditBatch(ctx, items, claim);
    return deliverAll(ctx, items, claim);
  });
  await finishKey(ctx.database, claim, { results });
  return summary(results);
}

export type MtaKind = 'sandbox' | 'smtp' | 'off';

/** Which MTA takes outgoing mail: the one at SMTP_URL, none, or the embedded sandbox. */
export function mtaKind(): MtaKind {
  const { smtpUrl } = env();
  if (smtpUrl === 'off') return 'off';
  return smtpUrl ? 'smtp' : 'sandbox';
}

/** Messages whose process died between their row and the answer of the MTA. Nobody knows whether they were sent. */
export async function settleAbandonedMessages(db: Database, now: Date): Promise<void> {
  const createdAt = { lt: new Date(now.getTime() - ABANDONED_AFTER_MS) };
  const where = { status: 'submitting' as const, direction: 'outbound' as const, createdAt };
  const abandoned = await db.message.findMany({ where, select: { id: true }, take: 1000 });
  for (const { id } of abandoned) await db.$transaction((tx) => markUncertain(tx, id, now));
}

async function whileHolding<Result>(ctx: SendContext, claim: Claim, work: () => Promise<Result>): Promise<Result> {
  const renewal = setInterval(() => {
    keepLease(ctx.database, claim).catch((error) =>
      log.warn({ request_id: ctx.request.id, error }, 'lease not renewed'),
    );
  }, LEASE_RENEWAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
  }
}

async function deliverAudited(ctx: SendContext, message: ReadyMessage, claim?: Claim): Promise<Sent> {
  const onOutcome = ({ id, messageId, domain, outcome }: Delivery, tx: ActorContext['db']) =>
    ctx.audit(
      {
        resource: `message:${id}`,
        domainId: domain.id,
        outcome: outcome.outcome === 'accepted' ? 'success' : 'error',
        details: { message_id: messageId, from: message.from, subject: message.subject, outcome: outcome.outcome },
      },
      tx,
    );
  const slot = claim && { keyId: claim.keyId, batchIndex: 0 };
  const { messageId } = await deliver(ctx, message, { onOutcome, slot });
  return { message_id: messageId };
}

async function deliverAll(
  ctx: SendContext,
  items: (ReadyMessage | Fault)[],
  claim: Claim | null,
): Promise<BatchItem[]> {
  const limit = pLimit(BATCH_CONCURRENCY);
  const one = async (item: ReadyMessage | Fault, index: number): Promise<BatchItem> => {
    if ('code' in item) return { index, error: item.message, code: item.code };
    try {
      const prior = claim && (await settledPrior(ctx, claim, index));
      if (prior?.status === 'uncertain') throw uncertain(prior.id, prior.messageId);
      if (prior) return { index, message_id: prior.messageId };
      const slot = claim ? { keyId: claim.keyId, batchIndex: index } : undefined;
      return { index, message_id: (await deliver(ctx, item, { slot })).messageId };
    } catch (error) {
      const { code, message } = publicError(error);
      return { index, error: message, code };
    }
  };
  return Promise.all(items.map((item, index) => limit(() => one(item, index))));
}

/**
 * One audit entry a call, written before anything is on its way so that no crash loses it; what became of each message
 * stands with the message. A domain_admin sees the entry where all of it concerns one domain within reach.
 */
async function auditBatch(
  ctx: SendContext,
  items: (ReadyMessage | Fault)[],
  claim: Claim | null,
  more: object = {},
): Promise<void> {
  const messages = items.filter((item) => 'raw' in item);
  const messageIds = items.flatMap((item, index) => {
    const prior = claim?.prior.find(({ batchIndex }) => batchIndex === index);
    return 'raw' in item ? [prior && !isRefused(prior) ? prior.messageId : item.messageId] : [];
  });
  const domains = [...new Set(messages.map(({ from }) => parseAddress(from)?.domain ?? ''))];
  const refused = items.length - messages.length;
  await ctx.audit({
    resource: 'message',
    domainId: domains.length === 1 ? await findReachable(ctx, domains[0] as string) : null,
    outcome: refused > 0 ? 'error' : 'success',
    details: { total: items.length, refused, domains, message_ids: messageIds, ...more },
  });
}

async function findReachable(ctx: ActorContext, name: string): Promise<string | null> {
  const reachable = accessibleDomainIds(ctx.actor);
  const where = { name, ...(reachable && { id: { in: reachable } }) };
  return (await ctx.database.domain.findFirst({ where, select: { id: true } }))?.id ?? null;
}

function summary(results: BatchItem[]): BatchSent {
  const succeeded = results.filter((result) => 'message_id' in result).length;
  return { total: results.length, succeeded, failed: results.length - succeeded, results };
}

/** A stored result, but for a message that was uncertain and has been settled since. */
async function replayed(ctx: SendContext, claim: Claim, stored: BatchItem, index: number): Promise<BatchItem> {
  const prior = await settledPrior(ctx, claim, index);
  if (!prior || prior.status === 'uncertain') return stored;
  return { index, message_id: prior.messageId };
}

/**
 * What an earlier call with the key did with a message: null where it sent none or the MTA refused it. One that was left in
 * the middle by a process that died becomes uncertain, and is never sent again by itself.
 */
async function settledPrior(ctx: SendContext, claim: Claim, index = 0): Promise<PriorMessage | null> {
  const prior = claim.prior.find((message) => message.batchIndex === index);
  if (!prior) return null;
  if (isRefused(prior)) {
    await ctx.database.message.update({
      where: { id: prior.id },
      data: { idempotencyKeyId: null, batchIndex: null },
      select: { id: true },
    });
    return null;
  }
  if (prior.status !== 'submitting') return prior;
  await ctx.database.$transaction((tx) => markUncertain(tx, prior.id, ctx.clock.now()));
  return { ...prior, status: 'uncertain' };
}

function isRefused({ status, isAccepted }: PriorMessage): boolean {
  return status === 'failed' && !isAccepted;
}
