import { UNCONFIRMED_AFTER_MS } from '@/lib/mail/slow-submission';
import type { Database } from '@/server/database/db';
import { AppError } from '@/server/errors';
import type { MutationContext } from '@/server/procedures/mutation';
import type { PreparedMessage } from './composing/message-jobs';
import type { PreparedSend } from './composing/prepared';
import { checkScheduled } from './scheduled/claims';
import { isLater, scheduleMessage } from './scheduled/schedule';
import type { Sent } from './schema';
import { type Claim, claimKey, finishKey, freeKey } from './submission/idempotency';
import type { IdempotencySlot } from './submission/message-row';
import { checkSubmission, sandboxPort } from './submission/mta';
import { requireCertain, sentOf, settledPrior, withLease } from './submission/prior';
import { isUncertain, markUncertain, type StoreOutcome, submitMessage } from './submission/submit';
import { type SystemMail, type SystemMailOutcome, submitSystemMail } from './system-mail';

export type { SystemMail, SystemMailOutcome };

export { checkScheduled, checkSubmission, submitSystemMail };

type ToSend = Pick<PreparedSend, 'fingerprint'> & {
  /** Or what makes it and submits it, once it is known that the call is not a repeated one. */
  message: PreparedMessage | ((submit: (message: PreparedMessage) => Promise<Sent>) => Promise<Sent>);
  /** Further facts for the audit entry. */
  details?: object;
};

/** Sends one message, at most once per Idempotency-Key. @throws the errors of {@link submitMessage} and {@link claimKey} */
export async function sendMessage(ctx: MutationContext, { fingerprint, message, details = {} }: ToSend): Promise<Sent> {
  const key = ctx.request.idempotencyKey;
  const submit = (claim?: Claim): Promise<Sent> => {
    const submitOne = (complete: PreparedMessage) => submitAudited(ctx, complete, details, claim);
    return typeof message === 'function' ? message(submitOne) : submitOne(message);
  };
  if (key === null) return submit();
  const { kind, claim } = await claimKey(ctx.db, ctx.actor, key, fingerprint);
  const prior = await settledPrior(ctx, claim);
  if (prior) {
    if (kind === 'claimed') await finishKey(ctx.db, claim);
    await ctx.auditAlone({ resource: `message:${prior.id}`, details: { replayed: true, message_id: prior.messageId } });
    requireCertain(prior);
    return sentOf(prior);
  }
  try {
    const sent = await withLease(ctx, claim, () => submit(claim));
    await finishKey(ctx.db, claim);
    return sent;
  } catch (error) {
    // Only a definite failure frees the key. After an unexpected error the lease expires, and the row has the outcome.
    if (isUncertain(error)) await finishKey(ctx.db, claim);
    else if (error instanceof AppError) await freeKey(ctx.db, claim);
    throw error;
  }
}

/** The port on 127.0.0.1 where API keys can send to the sandbox by SMTP; null where it has none. */
export function sandboxSmtpPort(): number | null {
  return sandboxPort.current ?? null;
}

/** Marks messages as uncertain whose process ended before the mail server replied. */
export async function settleAbandonedMessages(db: Database, now: Date): Promise<void> {
  const createdAt = { lt: new Date(now.getTime() - UNCONFIRMED_AFTER_MS) };
  // The next claim of a scheduled message settles it.
  const where = { status: 'submitting' as const, direction: 'outbound' as const, createdAt, scheduled: null };
  const abandoned = await db.message.findMany({ where, select: { id: true }, take: 1000 });
  for (const { id } of abandoned) await db.$transaction((tx) => markUncertain(tx, id, now));
}

async function submitAudited(
  ctx: MutationContext,
  message: PreparedMessage,
  more: object,
  claim?: Claim,
): Promise<Sent> {
  const storeOutcome: StoreOutcome = ({ id, messageId, domain, outcome, suppressed }, store) =>
    ctx.statement(
      {
        resource: `message:${id}`,
        domainId: domain.id,
        outcome: outcome.outcome === 'accepted' ? 'success' : 'error',
        details: {
          message_id: messageId,
          from: message.from,
          subject: message.subject,
          ...(message.template && { template: message.template }),
          outcome: outcome.outcome,
          ...(outcome.outcome === 'refused' && outcome.smtpCode !== null && { message: outcome.response }),
          ...(suppressed.length > 0 && { suppressed }),
          ...more,
        },
      },
      store,
    );
  const slot = claim && { keyId: claim.keyId, batchIndex: 0 };
  if (isLater(message)) return scheduleAudited(ctx, message, more, slot);
  return sentOf(await submitMessage(ctx, message, { storeOutcome, slot }));
}

async function scheduleAudited(
  ctx: MutationContext,
  message: PreparedMessage & { sendAt: Date },
  more: object,
  slot?: IdempotencySlot,
): Promise<Sent> {
  const { from, subject, sendAt, template } = message;
  const store: Parameters<typeof scheduleMessage>[2]['store'] = ({ id, messageId, domain }, work) =>
    ctx.transaction(async ({ tx, audit }) => {
      await work(tx);
      const details = {
        message_id: messageId,
        from,
        subject,
        send_at: sendAt.toISOString(),
        ...(template && { template }),
        ...more,
      };
      await audit({ resource: `message:${id}`, domainId: domain.id, details });
    });
  return scheduleMessage(ctx, message, { slot, store });
}
