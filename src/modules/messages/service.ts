import type { Tags } from '@/lib/mail/message-tags';
import { MESSAGE_STATUSES } from '@/lib/mail/outcomes';
import type { OnReport } from '@/mail/delivery-report';
import type { InboundPort } from '@/mail/inbound/port';
import { countByStatus } from '@/modules/analytics/service';
import { findManagedAddresses } from '@/modules/mailboxes/service';
import type { UsedTemplate } from '@/modules/templates/schema';
import { kickDeliveries, type TracedDelivery, traceDeliveries } from '@/modules/webhooks/service';
import { authorizeDomain, domainFilter, hasPermission } from '@/server/access/authorize';
import type { Database } from '@/server/database/db';
import { notFound } from '@/server/errors';
import { type Page, paginateFrom } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import { versioned } from '@/server/procedures/versions';
import { keepContent } from './content/keeping/keep';
import { copyMessage } from './content/read';
import { describeContent, findContent } from './content/status';
import { openWaiting, sealWaiting, storeWaiting } from './content/waiting';
import { receiveMessage, resolveRecipient } from './inbound/receive';
import { failureOf, findFailures } from './list/failures';
import { countMessages, findCounted, findMessages } from './list/find-messages';
import { countOutcomes, findOutcomes, isOnHold } from './list/outcomes';
import type { SummaryRow } from './list/selection';
import { type ListMessages, messageList } from './lists';
import { bounceAddress } from './returned/bounce-address';
import type {
  GetTotals,
  Message,
  MessageEvent,
  MessageStatus,
  MessageSummary,
  MessageTotals,
  ScheduledState,
} from './schema';
import { countInFlight, WAIT_FOR_SENDS } from './tracking/in-flight';
import { recordReport } from './tracking/outcomes';
import { recordNotAllowed, recordSubmission, type Submission } from './tracking/submissions';

export type { Message, Submission };
export {
  bounceAddress,
  copyMessage,
  countInFlight,
  keepContent,
  openWaiting,
  recordNotAllowed,
  recordSubmission,
  sealWaiting,
  storeWaiting,
  WAIT_FOR_SENDS,
};

export async function listMessages(ctx: ActorContext, input: ListMessages): Promise<Page<MessageSummary>> {
  if (input.domain_id) await authorizeDomain(ctx, { id: input.domain_id }, { allowInactive: true });
  return paginateFrom(messageList, input, {
    fetch: async (position) => {
      const found = await findMessages(ctx, input, { position, take: input.limit + 1 });
      const ids = found.rows.map(({ id }) => id);
      const [counted, failures] = await Promise.all([findOutcomes(ctx.db, ids), findFailures(ctx.db, ids)]);
      const rows = found.rows.map((row) => {
        const { outcomes = [], isHeld = false } = counted.get(row.id) ?? {};
        return { ...row, outcomes, isHeld, failure: failures.get(row.id) ?? null };
      });
      return { ...found, rows };
    },
    count: () => countMessages(ctx, input),
    present: presentSummary,
  });
}

export async function getMessage(ctx: ActorContext, { id }: { id: string }): Promise<Message> {
  const row = await ctx.db.message.findFirst({
    relationLoadStrategy: 'join',
    where: { AND: [{ id }, domainFilter(ctx.actor)] },
    select: {
      ...SUMMARY,
      metadata: true,
      recipients: { orderBy: [{ kind: 'asc' }, { id: 'asc' }] },
      events: { orderBy: [{ at: 'asc' }, { id: 'asc' }] },
    },
  });
  if (!row) throw notFound('message');
  const addresses = row.recipients.map(({ address }) => address);
  const [deliveries, content, managed] = await Promise.all([
    traceDeliveries(ctx, id),
    findContent(ctx.db, id),
    findManagedAddresses(ctx, addresses),
  ]);
  const isSubmittedBySmtp = row.events.some(isSmtpSubmission);
  return {
    ...presentSummary({
      ...row,
      tags: row.tags as Tags | null,
      template: row.template as UsedTemplate | null,
      outcomes: countOutcomes(row.recipients),
      isHeld: isOnHold(row.recipients, row.events),
      failure: failureOf(row.recipients),
    }),
    recipients: row.recipients.map(({ address, kind, status, cause, route, smtpCode, enhancedCode, response }) => ({
      address,
      kind,
      status,
      cause,
      route,
      smtp_code: smtpCode,
      enhanced_code: enhancedCode,
      response,
      late: cause === 'bounce_report',
      domain_id: managed.get(address)?.domainId ?? null,
      mailbox_id: managed.get(address)?.mailboxId ?? null,
    })),
    events: inOrder([...row.events.map(presentEvent), ...deliveries.map(presentDelivery)]),
    metadata: row.metadata as Message['metadata'],
    content: describeContent(content, { ...row, isSubmittedBySmtp }, ctx.clock.now()),
  };
}

/** A message, of which keys that may send and not read see no more than when it leaves. @throws NOT_FOUND */
export async function getPermitted(ctx: ActorContext, input: { id: string }): Promise<Message | ScheduledState> {
  const message = await getMessage(ctx, input);
  if (hasPermission(ctx.actor, 'read')) return message;
  const { id, message_id, status, send_at } = message;
  return { id, message_id, status, send_at };
}

/** A message as far as it can be edited: when a scheduled one leaves. */
export const messageRecord = versioned('message', getPermitted);

/**
 * The messages of a list by status. Without a filter, those of the last 24 hours, as the statistics have them. With filters,
 * at most the newest 10,000. However many messages there are, counting takes as long.
 */
export async function getTotals(ctx: ActorContext, input: GetTotals): Promise<MessageTotals> {
  const { domain_id: domainId, ...filters } = input;
  const counts = Object.fromEntries(MESSAGE_STATUSES.map((status) => [status, 0])) as MessageTotals['counts'];
  if (Object.values(filters).every((value) => value === undefined)) {
    const day = await countByStatus(ctx, { domainId, hours: 24 });
    for (const { status, count } of day.counts) counts[status as MessageStatus] += count;
    return { counts, since: day.since.toISOString(), is_complete: true };
  }
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const { rows, isComplete } = await findCounted(ctx, input);
  for (const { status } of rows) counts[status] += 1;
  return { counts, since: input.since ?? null, is_complete: isComplete };
}

/** The calls that a mail server makes: resolve a recipient, receive a message, report a delivery. */
export function mailServerCalls(database: Database): InboundPort & { onReport: OnReport } {
  return {
    onReport: async (report) => {
      const result = await database.$transaction((tx) => recordReport(tx, report));
      kickDeliveries();
      return result;
    },
    resolve: (address) => resolveRecipient(database, address),
    async receive(mail) {
      await receiveMessage(mail);
      kickDeliveries();
    },
  };
}

function isSmtpSubmission({ type, detail }: { type: string; detail: Prisma.JsonValue }): boolean {
  return type === 'queued' && (detail as MessageEvent['detail']).source === 'smtp';
}

const SUMMARY = {
  id: true,
  messageId: true,
  queueId: true,
  domainId: true,
  direction: true,
  fromAddress: true,
  toAddresses: true,
  subject: true,
  sizeBytes: true,
  status: true,
  spamScore: true,
  tags: true,
  template: true,
  sendAt: true,
  createdAt: true,
  updatedAt: true,
} satisfies Prisma.MessageSelect;

const SUBMISSION_EVENTS = ['accepted', 'rescheduled', 'postponed', 'cancelled', 'suppressed', 'uncertain', 'queued'];

/** By time, but submission events first, since the clocks of the app and the mail server may differ. */
function inOrder(events: MessageEvent[]): MessageEvent[] {
  const rankOf = ({ type }: MessageEvent) =>
    SUBMISSION_EVENTS.includes(type) ? SUBMISSION_EVENTS.indexOf(type) : SUBMISSION_EVENTS.length;
  return events.toSorted((one, other) => rankOf(one) - rankOf(other) || Date.parse(one.at) - Date.parse(other.at));
}

type Summarized = SummaryRow & Pick<MessageSummary, 'outcomes' | 'failure'> & { isHeld: boolean };

function presentSummary(row: Summarized): MessageSummary {
  return {
    id: row.id,
    message_id: row.messageId,
    queue_id: row.queueId,
    domain_id: row.domainId,
    direction: row.direction,
    from: row.fromAddress,
    to: row.toAddresses,
    subject: row.subject,
    size: row.sizeBytes,
    status: row.status,
    on_hold: row.isHeld,
    outcomes: row.outcomes,
    failure: row.failure,
    spam_score: row.spamScore,
    tags: row.tags ?? {},
    ...(row.template && { template: row.template }),
    send_at: row.sendAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function presentEvent({ type, at, recipient, detail }: Prisma.MessageEventGetPayload<object>): MessageEvent {
  return {
    type: type as MessageEvent['type'],
    at: at.toISOString(),
    recipient,
    detail: detail as MessageEvent['detail'],
  };
}

function presentDelivery({
  id,
  webhookId,
  url,
  event,
  recipient,
  status,
  attemptCount,
  at,
}: TracedDelivery): MessageEvent {
  const detail = {
    event,
    status,
    attempts: attemptCount,
    webhook_id: webhookId,
    delivery_id: id,
    host: new URL(url).host,
  };
  return { type: 'webhook', at: at.toISOString(), recipient: recipient || null, detail };
}
