import pLimit from 'p-limit';
import type { Finding } from '@/lib/health/finding';
import { parseAddress } from '@/lib/mail/address';
import { accessibleDomainIds } from '@/server/access/authorize';
import type { Database, Tx } from '@/server/db';
import { AppError } from '@/server/errors';
import { log } from '@/server/log';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { publicError } from '@/server/public-error';
import { env } from '@/server/settings/env';
import { type MessageError, reasonOf } from './composing/check-outgoing-message';
import type { PreparedMessage } from './composing/message-jobs';
import type { PreparedBatch, PreparedSend } from './composing/prepared';
import { scheduledOf, scheduleMessage } from './scheduled/schedule';
import type { BatchItem, BatchSent, Mta, Sent } from './schema';
import { type Claim, claimKey, finishKey, freeKey, type PriorMessage, renewLease } from './submission/idempotency';
import type { IdempotencySlot } from './submission/message-row';
import { checkMta } from './submission/mta';
import { isUncertain, markUncertain, type StoreOutcome, submitMessage, uncertain } from './submission/submit';
import { type SystemMail, type SystemMailOutcome, submitMail } from './system-mail';

export type { SystemMail, SystemMailOutcome };

/**
 * Messages of a batch that are on their way at the same time, and those of them that are submitted. After a crash, no more than these
 * are uncertain.
 */
const BATCH_WINDOW = 20;
const BATCH_CONCURRENCY = 5;
const LEASE_RENEWAL_MS = 10_000;
// Much longer than any request can run.
const ABANDONED_AFTER_MS = 15 * 60 * 1000;

type SentMessage = Sent & { id: string };

type ToSend = Pick<PreparedSend, 'fingerprint'> & {
  /** Or what makes it, once it is known that the call is not a repeated one. */
  message: PreparedMessage | (() => Promise<PreparedMessage>);
  /** Further facts for the audit entry. */
  details?: object;
};

/** Sends one message, at most once per Idempotency-Key. @throws the errors of {@link submitMessage} and {@link claimKey} */
export async function sendMessage(
  ctx: MutationContext,
  { fingerprint, message, details = {} }: ToSend,
): Promise<SentMessage> {
  const key = ctx.request.idempotencyKey;
  const prepare = async () => (typeof message === 'function' ? message() : message);
  if (key === null) return submitAudited(ctx, await prepare(), details);
  const { kind, claim } = await claimKey(ctx.db, ctx.actor, key, fingerprint);
  const prior = await settledPrior(ctx, claim);
  if (prior) {
    if (kind === 'claimed') await finishKey(ctx.db, claim);
    await ctx.auditAlone({ resource: `message:${prior.id}`, details: { replayed: true, message_id: prior.messageId } });
    requireCertain(prior);
    return { id: prior.id, ...sentOf(prior) };
  }
  try {
    const sent = await withLease(ctx, claim, async () => submitAudited(ctx, await prepare(), details, claim));
    await finishKey(ctx.db, claim);
    return sent;
  } catch (error) {
    // Only a definite failure frees the key. After an unexpected error the lease expires, and the row has the outcome.
    if (isUncertain(error)) await finishKey(ctx.db, claim);
    else if (error instanceof AppError) await freeKey(ctx.db, claim);
    throw error;
  }
}

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
  await finishKey(ctx.db, claim, { results });
  return summary(results);
}

/** Where outgoing mail is submitted: to SMTP_URL, nowhere, or to the embedded sandbox. */
export function mtaKind(): Mta['kind'] {
  const { smtpUrl } = env();
  if (smtpUrl === 'off') return 'off';
  return smtpUrl ? 'smtp' : 'sandbox';
}

/** How fast the mail server responds to which mail is submitted. */
export function checkSubmission(): Promise<Finding[]> {
  return checkMta();
}

/** Submits an email of Postroom itself, such as one about alerts. */
export function submitSystemMail(db: Tx, mail: SystemMail): Promise<SystemMailOutcome> {
  return submitMail(db, mail);
}

/** Marks messages as uncertain whose process ended before the mail server replied. */
export async function settleAbandonedMessages(db: Database, now: Date): Promise<void> {
  const createdAt = { lt: new Date(now.getTime() - ABANDONED_AFTER_MS) };
  // The next claim of a scheduled message settles it.
  const where = { status: 'submitting' as const, direction: 'outbound' as const, createdAt, scheduled: null };
  const abandoned = await db.message.findMany({ where, select: { id: true }, take: 1000 });
  for (const { id } of abandoned) await db.$transaction((tx) => markUncertain(tx, id, now));
}

async function withLease<Result>(ctx: MutationContext, claim: Claim, work: () => Promise<Result>): Promise<Result> {
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

async function submitAudited(
  ctx: MutationContext,
  message: PreparedMessage,
  more: object,
  claim?: Claim,
): Promise<SentMessage> {
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
          outcome: outcome.outcome,
          ...(suppressed.length > 0 && { suppressed }),
          ...more,
        },
      },
      store,
    );
  const slot = claim && { keyId: claim.keyId, batchIndex: 0 };
  if (isLater(message)) return scheduleAudited(ctx, message, more, slot);
  const submitted = await submitMessage(ctx, message, { storeOutcome, slot });
  return { id: submitted.id, ...sentOf(submitted) };
}

async function scheduleAudited(
  ctx: MutationContext,
  message: PreparedMessage & { sendAt: Date },
  more: object,
  slot?: IdempotencySlot,
): Promise<SentMessage> {
  const { from, subject, sendAt } = message;
  const store: Parameters<typeof scheduleMessage>[2]['store'] = ({ id, messageId, domain }, work) =>
    ctx.transaction(async ({ tx, audit }) => {
      await work(tx);
      const details = { message_id: messageId, from, subject, send_at: sendAt.toISOString(), ...more };
      await audit({ resource: `message:${id}`, domainId: domain.id, details });
    });
  return scheduleMessage(ctx, message, { slot, store });
}

function isLater(message: PreparedMessage): message is PreparedMessage & { sendAt: Date } {
  return message.sendAt !== undefined;
}

async function submitAll(
  ctx: MutationContext,
  items: (PreparedMessage | MessageError)[],
  claim: Claim | null,
): Promise<BatchItem[]> {
  const limit = pLimit(BATCH_CONCURRENCY);
  // The audit entry of the batch is already recorded.
  const storeOutcome: StoreOutcome = (_, store) => store(null);
  const submitOne = async (item: PreparedMessage | MessageError, index: number): Promise<BatchItem> => {
    if ('code' in item) return { index, error: reasonOf(item), code: item.code };
    try {
      const prior = claim && (await settledPrior(ctx, claim, index));
      if (prior) requireCertain(prior);
      if (prior) return { index, ...sentOf(prior) };
      const slot = claim ? { keyId: claim.keyId, batchIndex: index } : undefined;
      if (isLater(item)) {
        const store = (_: object, work: (tx: Tx) => Promise<void>) => ctx.db.$transaction(work);
        return { index, ...(await scheduleMessage(ctx, item, { slot, store })) };
      }
      return { index, ...sentOf(await submitMessage(ctx, item, { storeOutcome, slot, limit })) };
    } catch (error) {
      const { code, message, details } = publicError(error);
      return {
        index,
        error: message,
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
  items: (PreparedMessage | MessageError)[],
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

function summary(results: BatchItem[]): BatchSent {
  const succeeded = results.filter((result) => 'message_id' in result).length;
  return { total: results.length, succeeded, failed: results.length - succeeded, results };
}

/** `suppressed` is missing where nobody was left out, so that clients who don't know it see no difference. */
function sentOf({ id, messageId, suppressed, sendAt = null }: Answered): Sent {
  if (sendAt) return scheduledOf({ id, messageId, sendAt });
  return { message_id: messageId, ...(suppressed.length > 0 && { suppressed }) };
}

type Answered = Pick<PriorMessage, 'id' | 'messageId' | 'suppressed'> & { sendAt?: Date | null };

/** @throws SEND_FAILED for an unconfirmed message; one that was scheduled is answered as it was, whatever happened since */
function requireCertain({ id, messageId, status, sendAt }: PriorMessage): void {
  if (status === 'uncertain' && !sendAt) throw uncertain(id, messageId);
}

/** The stored result, updated if an uncertain message has been settled since. */
async function currentResult(ctx: MutationContext, claim: Claim, stored: BatchItem, index: number): Promise<BatchItem> {
  const prior = await settledPrior(ctx, claim, index);
  if (!prior || prior.status === 'uncertain') return stored;
  return { index, ...sentOf(prior) };
}

/**
 * The message that an earlier call with the same key submitted, or null if it submitted none or the mail server refused it.
 * A message whose process ended during submission becomes uncertain and is never sent again automatically.
 */
async function settledPrior(ctx: MutationContext, claim: Claim, index = 0): Promise<PriorMessage | null> {
  const prior = claim.prior.find((message) => message.batchIndex === index);
  if (!prior) return null;
  if (prior.sendAt) return prior;
  if (isRefused(prior)) {
    await ctx.db.message.update({
      where: { id: prior.id },
      data: { idempotencyKeyId: null, batchIndex: null },
      select: { id: true },
    });
    return null;
  }
  if (prior.status !== 'submitting') return prior;
  await ctx.db.$transaction((tx) => markUncertain(tx, prior.id, ctx.clock.now()));
  return { ...prior, status: 'uncertain' };
}

function isRefused({ status, isAccepted }: PriorMessage): boolean {
  return status === 'failed' && !isAccepted;
}
