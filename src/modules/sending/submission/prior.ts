import { log } from '@/server/log';
import type { MutationContext } from '@/server/procedures/mutation';
import { scheduledOf } from '../scheduled/schedule';
import type { Sent } from '../schema';
import { type Claim, isRefused, type PriorMessage, renewLease } from './idempotency';
import { markUncertain, uncertain } from './submit';

const LEASE_RENEWAL_MS = 10_000;

/** Holds the claim of an Idempotency-Key while the work is done. */
export async function withLease<Result>(
  ctx: MutationContext,
  claim: Claim,
  work: () => Promise<Result>,
): Promise<Result> {
  const renewal = setInterval(() => {
    renewLease(ctx.db, claim).catch((error) =>
      log.warn({ request_id: ctx.request.id, error }, 'renewing the idempotency lease failed'),
    );
  }, LEASE_RENEWAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
  }
}

/**
 * The message that an earlier call with the same key submitted, or null if it submitted none or the mail server refused it.
 * A message whose process ended during submission becomes uncertain and is never sent again automatically.
 */
export async function settledPrior(ctx: MutationContext, claim: Claim, index = 0): Promise<PriorMessage | null> {
  const prior = claim.prior.find((message) => message.batchIndex === index);
  if (!prior) return null;
  if (isRefused(prior)) {
    await ctx.db.message.update({
      where: { id: prior.id },
      data: { idempotencyKeyId: null, batchIndex: null },
      select: { id: true },
    });
    return null;
  }
  if (prior.sendAt || prior.status !== 'submitting') return prior;
  await ctx.db.$transaction((tx) => markUncertain(tx, prior.id, ctx.clock.now()));
  return { ...prior, status: 'uncertain' };
}

/** `suppressed` is missing where nobody was left out, so that clients who don't know it see no difference. */
export function sentOf({ id, messageId, suppressed, sendAt = null }: Answered): Sent {
  if (sendAt) return scheduledOf({ id, messageId, sendAt });
  return { id, message_id: messageId, ...(suppressed.length > 0 && { suppressed }) };
}

type Answered = Pick<PriorMessage, 'id' | 'messageId' | 'suppressed'> & { sendAt?: Date | null };

/** @throws SEND_FAILED for an unconfirmed message; one that was scheduled is answered as it was, whatever happened since */
export function requireCertain({ id, messageId, status, sendAt }: PriorMessage): void {
  if (status === 'uncertain' && !sendAt) throw uncertain(id, messageId);
}
