import { sentText } from '@/lib/texts/alert-texts';
import { openAlerts } from '@/modules/alerts/service';
import { FIELDS, present } from '@/modules/mailboxes/service';
import { insertAuditEntry } from '@/server/audit';
import { AppError } from '@/server/errors';
import { countRefusal } from '@/server/metrics/metrics';
import type { Context } from '@/server/procedures/context';

/** The result of the SQL function count_sends for one message. */
export type Counting = {
  result: 'counted' | 'suspended' | 'address_limit' | 'domain_limit';
  mailboxId: string | null;
  /** When the mailbox's count was last reset, as of this count. */
  countedFrom: Date | null;
  sent: number;
  allowed: number;
  freeAt: Date | null;
};

export type OverLimit = { domain: { id: string; name: string }; address: string; counting: Counting };

/** The context of an API request or of a message submitted by SMTP. */
export type SendContext = Pick<Context, 'db' | 'clock' | 'request'>;

const WINDOW_SECONDS = 3600;

/** Who can raise a limit. That of a domain overrides the one for all domains. */
const RAISED_BY = {
  address: 'A super admin can raise the limit under Abuse.',
  domain: 'An admin can raise the limit in the settings of the domain.',
};

/**
 * Suspends a mailbox that is over its limit. For an address without a mailbox, or a domain, raises one alert per day.
 * @returns the error for the sender
 */
export async function rejectOverLimit(ctx: SendContext, over: OverLimit): Promise<AppError> {
  const { domain, address, counting } = over;
  const { result, mailboxId, sent, allowed, freeAt } = counting;
  countRefusal(result === 'domain_limit' ? 'domain_hourly' : 'mailbox_hourly');
  const subject = result === 'domain_limit' ? domain.name : address;
  const messages = `${sent} ${sent === 1 ? 'message' : 'messages'}`;
  const limit = `; the hourly limit is ${allowed}.`;
  const now = ctx.clock.now();
  const nextAt = freeAt ?? new Date(now.getTime() + WINDOW_SECONDS * 1000);
  // The text is also why a scheduled message was not sent, and read later then.
  const retry = allowed === 0 ? '' : ` Try again after ${nextAt.toISOString().slice(11, 16)} UTC.`;
  let consequence = `${retry} ${RAISED_BY[result === 'domain_limit' ? 'domain' : 'address']}`;
  if (result === 'address_limit' && mailboxId !== null) {
    const note = sentText({ kind: 'mailbox_suspended', count: sent, expected: allowed });
    const isSuspended = await suspend(ctx, over, { id: mailboxId, note });
    if (isSuspended) consequence = ' The mailbox is suspended until an admin unsuspends it.';
  } else {
    await openAlerts(ctx.db, [{ kind: 'rate_limited', subject, ...alertFields(over) }], now);
  }
  return new AppError('RATE_LIMIT_EXCEEDED', `${subject} has sent ${messages} in the last hour${limit}${consequence}`, {
    details: { count: sent, limit: allowed, window_seconds: WINDOW_SECONDS },
    headers: { 'Retry-After': String(Math.max(1, Math.ceil((nextAt.getTime() - now.getTime()) / 1000))) },
  });
}

/** Only one concurrent call suspends the mailbox. None does if it was unsuspended after the count. */
async function suspend(ctx: SendContext, over: OverLimit, { id, note }: { id: string; note: string }) {
  const { domain, address, counting } = over;
  const { sent, allowed, countedFrom } = counting;
  const at = ctx.clock.now();
  return ctx.db.$transaction(async (tx) => {
    const before = await tx.mailbox.findUnique({ where: { id }, select: FIELDS });
    const { count } = await tx.mailbox.updateMany({
      where: { id, suspendedAt: null, rateCountedFrom: countedFrom },
      data: { suspendedAt: at, suspensionReason: 'rate_limit', suspensionNote: note },
    });
    const after = await tx.mailbox.findUnique({ where: { id }, select: FIELDS });
    if (!before || !after || count === 0) return after !== null && after.suspendedAt !== null;
    await insertAuditEntry(tx, ctx, {
      action: 'mailbox.suspend',
      outcome: 'success',
      actor: null,
      resource: `mailbox:${id}`,
      domainId: domain.id,
      before: present(before),
      after: present(after),
      details: { count: sent, limit: allowed, window_seconds: WINDOW_SECONDS },
    });
    await openAlerts(tx, [{ kind: 'mailbox_suspended', subject: address, mailboxId: id, ...alertFields(over) }], at);
    return true;
  });
}

function alertFields({ domain, counting }: OverLimit) {
  return { domainId: domain.id, count: counting.sent, expected: counting.allowed };
}
