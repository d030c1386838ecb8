import pLimit from 'p-limit';
import { ERROR_STATUS, type ErrorCode } from '@/lib/error-codes';
import { parseAddress } from '@/lib/mail/address';
import { accessibleDomainIds } from '@/server/access/authorize';
import type { Tx } from '@/server/database/db';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { publicError } from '@/server/public-error';
import { type MessageError, reasonOf } from './composing/check-outgoing-message';
import type { CheckedMessage, PreparedMessage } from './composing/message-jobs';
import { completer, type PreparedBatch } from './composing/prepared';
import { isLater, scheduleMessage } from './scheduled/schedule';
import type { BatchItem, BatchSent, Sent } from './schema';
import { type Claim, claimKey, finishKey, freeKey, isRefused, isUnsent } from './submission/idempotency';
import { requireCertain, sentOf, settledPrior, withLease } from './submission/prior';
import { NOT_ACCEPTED, type StoreOutcome, submitMessage } from './submission/submit';

/**
 * Messages of a batch that are on their way at the same time, and those of them that are submitted. After a crash, no more than these
 * are uncertain.
 */
const BATCH_WINDOW = 20;
const BATCH_CONCURRENCY = 5;
/** Messages of a batch whose text is made by a template or waits for its submission. */
const RENDERED_AT_ONCE = 5;

/**
 * Sends the messages of a batch independently, a few at a time. With an Idempotency-Key, a repeated call sends only the
 * messages that no earlier call has sent.
 */
export async function sendBatch(ctx: MutationContext, { fingerprint, items }: PreparedBatch): Promise<BatchSent> {
  const key = ctx.request.idempotencyKey;
  if (key === null) {
    await auditBatch(ctx, items, null);
    return summary(await submitAll(ctx, items, null));
  }
  const claimed = await claimKey(ctx.db, ctx.actor, key, fingerprint);
  const { claim } = claimed;
  if (claimed.kind === 'finished') {
    await auditBatch(ctx, items, claim, { replayed: true });
    const { results } = claimed.response as { results: BatchItem[] };
    return summary(await Promise.all(results.map((result, index) => currentResult(ctx, claim, result, index))));
  }
  const results = await withLease(ctx, claim, async () => {
    await auditBatch(ctx, items, claim);
    return submitAll(ctx, items, claim);
  });
  // After a failure that can pass, the same call can run again, as with one message.
  const isRepeatable = results.every((result) => 'code' in result) && results.some(canPass);
  if (isRepeatable && (await isUnsent(ctx.db, claim))) await freeKey(ctx.db, claim);
  else await finishKey(ctx.db, claim, { results });
  return summary(results);
}

function canPass(result: BatchItem): boolean {
  return (
    'code' in result && (result.code === 'SEND_FAILED' || [429, 503].includes(ERROR_STATUS[result.code as ErrorCode]))
  );
}

async function submitAll(
  ctx: MutationContext,
  items: (CheckedMessage | MessageError)[],
  claim: Claim | null,
): Promise<BatchItem[]> {
  const limit = pLimit(BATCH_CONCURRENCY);
  const complete = completer(ctx);
  const limitRendered = pLimit(RENDERED_AT_ONCE);
  // The audit entry of the batch is already recorded.
  const storeOutcome: StoreOutcome = (_, store) => store(null);
  const submitOne = async (item: CheckedMessage | MessageError, index: number): Promise<BatchItem> => {
    if ('code' in item) return { index, error: reasonOf(item), code: item.code };
    try {
      const prior = claim && (await settledPrior(ctx, claim, index));
      if (prior) requireCertain(prior);
      if (prior) return { index, ...sentOf(prior) };
      const slot = claim ? { keyId: claim.keyId, batchIndex: index } : undefined;
      const submit = async (message: PreparedMessage): Promise<BatchItem> => {
        if (!isLater(message))
          return { index, ...sentOf(await submitMessage(ctx, message, { storeOutcome, slot, limit })) };
        const store = (_: object, work: (tx: Tx) => Promise<void>) => ctx.db.$transaction(work);
        return { index, ...(await limit(() => scheduleMessage(ctx, message, { slot, store }))) };
      };
      return 'raw' in item ? await submit(item) : await limitRendered(() => complete(item, submit));
    } catch (error) {
      const { code, message, details } = publicError(error);
      return {
        index,
        error: reasonOf({ message, fields: details?.fields ?? [] }),
        code,
        ...(details?.suppressed ? { suppressed: details.suppressed as Sent['suppressed'] } : {}),
      };
    }
  };
  const window = pLimit(BATCH_WINDOW);
  return Promise.all(items.map((item, index) => window(() => submitOne(item, index))));
}

/**
 * Records one audit entry per call, before the first submission, so that a crash can't lose it. Outcomes are stored with
 * the messages. The entry names a domain only if all messages are from one that the caller has access to.
 */
async function auditBatch(
  ctx: MutationContext,
  items: (CheckedMessage | MessageError)[],
  claim: Claim | null,
  more: object = {},
): Promise<void> {
  const messages = items.filter((item) => 'messageId' in item);
  const messageIds = items.flatMap((item, index) => {
    const prior = claim?.prior.find(({ batchIndex }) => batchIndex === index);
    return 'messageId' in item ? [prior && !isRefused(prior) ? prior.messageId : item.messageId] : [];
  });
  const domains = [...new Set(messages.map(({ from }) => parseAddress(from)?.domain ?? ''))];
  const refused = items.length - messages.length;
  await ctx.auditAlone({
    resource: 'message',
    domainId: domains.length === 1 ? await findAccessibleDomain(ctx, domains[0] as string) : null,
    outcome: refused > 0 ? 'error' : 'success',
    details: { total: items.length, refused, domains, message_ids: messageIds, ...more },
  });
}

async function findAccessibleDomain(ctx: ActorContext, name: string): Promise<string | null> {
  const ids = accessibleDomainIds(ctx.actor);
  const where = { name, ...(ids && { id: { in: ids } }) };
  return (await ctx.db.domain.findFirst({ where, select: { id: true } }))?.id ?? null;
}

/** The stored result, updated if an uncertain message has been settled since. */
async function currentResult(ctx: MutationContext, claim: Claim, stored: BatchItem, index: number): Promise<BatchItem> {
  const known = claim.prior.find(({ batchIndex }) => batchIndex === index);
  if (known && isRefused(known)) return { index, error: NOT_ACCEPTED, code: 'SEND_FAILED' };
  const prior = await settledPrior(ctx, claim, index);
  if (!prior || prior.status === 'uncertain') return stored;
  return { index, ...sentOf(prior) };
}

function summary(results: BatchItem[]): BatchSent {
  const succeeded = results.filter((result) => 'message_id' in result).length;
  return { total: results.length, succeeded, failed: results.length - succeeded, results };
}
