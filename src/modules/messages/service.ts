import { parseAddress } from '@/lib/address';
import { authorizeDomain, domainFilter } from '@/server/access';
import type { ActorContext } from '@/server/context';
import { notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ListMessages, Message, MessageEvent, MessageStatus, MessageSummary } from './schema';

export async function listMessages(ctx: ActorContext, input: ListMessages): Promise<Page<MessageSummary>> {
  if (input.domain_id) await authorizeDomain(ctx, { id: input.domain_id }, { allowInactive: true });
  return paginate(
    'messages',
    input,
    'createdAt',
    ({ where, ...page }) =>
      ctx.db.message.findMany({
        ...page,
        select: SUMMARY,
        where: { AND: [where, domainFilter(ctx.actor), ...filtersOf(input)] },
      }),
    presentSummary,
  );
}

export async function getMessage(ctx: ActorContext, { id }: { id: string }): Promise<Message> {
  const row = await ctx.db.message.findFirst({
    relationLoadStrategy: 'join',
    where: { AND: [{ id }, domainFilter(ctx.actor)] },
    select: {
      ...SUMMARY,
      recipients: { orderBy: [{ kind: 'asc' }, { id: 'asc' }] },
      events: { orderBy: [{ at: 'asc' }, { id: 'asc' }] },
    },
  });
  if (!row) throw notFound('message');
  return {
    ...presentSummary(row),
    recipients: row.recipients.map(({ address, kind, status, smtpCode, enhancedCode, response }) => ({
      address,
      kind,
      status,
      smtp_code: smtpCode,
      enhanced_code: enhancedCode,
      response,
    })),
    events: row.events.map(({ type, at, recipient, detail }) => ({
      type: type as MessageEvent['type'],
      at: at.toISOString(),
      recipient,
      detail: detail as MessageEvent['detail'],
    })),
  };
}

/** How many messages within the caller's reach have each status since a time. */
export async function countMessages(
  ctx: ActorContext,
  filter: { domainId?: string; since: Date },
): Promise<Partial<Record<MessageStatus, number>>> {
  const groups = await ctx.db.message.groupBy({
    by: ['status'],
    where: { AND: [domainFilter(ctx.actor), { domainId: filter.domainId, createdAt: { gte: filter.since } }] },
    _count: true,
  });
  return Object.fromEntries(groups.map((group) => [group.status, group._count]));
}

function filtersOf(input: ListMessages): Prisma.MessageWhereInput[] {
  return [
    {
      domainId: input.domain_id,
      direction: input.direction,
      status: input.status,
      messageId: input.message_id,
      fromAddress: input.from && addressOf(input.from),
      recipients: input.to ? { some: { address: addressOf(input.to) } } : undefined,
    },
    { createdAt: { gte: input.since } },
    { createdAt: { lt: input.until } },
    input.q ? { OR: searchOf(input.q) } : {},
  ];
}

function searchOf(text: string): Prisma.MessageWhereInput[] {
  const address = parseAddress(text)?.address;
  // A message id may be pasted without its angle brackets, and then it looks like an address.
  const messageId = text.startsWith('<') ? text : `<${text}>`;
  if (address) return [{ fromAddress: address }, { recipients: { some: { address } } }, { messageId }];
  return [{ subject: { contains: text, mode: 'insensitive' } }, { messageId }, { queueId: text }];
}

function addressOf(text: string): string {
  return parseAddress(text)?.address ?? text;
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
  createdAt: true,
  updatedAt: true,
} satisfies Prisma.MessageSelect;

type SummaryRow = Prisma.MessageGetPayload<{ select: typeof SUMMARY }>;

function presentSummary(row: SummaryRow): MessageSummary {
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
    spam_score: row.spamScore,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
