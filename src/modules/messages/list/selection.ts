import { parseAddress } from '@/lib/mail/address';
import { accessibleDomainIds } from '@/server/access/authorize';
import type { Search } from '@/server/list/find-page';
import type { Selection } from '@/server/list/select-page';
import type { Position } from '@/server/pagination';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { ListMessages, MessageSummary } from '../schema';
import type { Meaning } from './meanings';

export type SummaryRow = {
  id: string;
  messageId: string;
  queueId: string | null;
  domainId: string | null;
  direction: MessageSummary['direction'];
  fromAddress: string;
  toAddresses: string[];
  subject: string;
  sizeBytes: number;
  status: MessageSummary['status'];
  spamScore: number | null;
  createdAt: Date;
  updatedAt: Date;
};

const COLUMNS = Prisma.sql`
  m.id, m.message_id AS "messageId", m.queue_id AS "queueId", m.domain_id AS "domainId", m.direction,
  m.from_address AS "fromAddress", coalesce(m.to_addresses, '{}') AS "toAddresses", m.subject,
  m.size_bytes AS "sizeBytes", m.status, m.spam_score AS "spamScore", m.created_at AS "createdAt",
  m.updated_at AS "updatedAt"`;

/**
 * The messages that a request lists, for one meaning of its search text. Those to an address are read from its recipients,
 * which have the time of their message.
 */
export function searchOf(
  { actor }: ActorContext,
  input: ListMessages,
  position: Position | null,
  { recipient: searched, condition, words }: Meaning,
): Search {
  const {
    domain_id: domainId,
    direction,
    status,
    accepted,
    message_id: messageId,
    from,
    to,
    since,
    until,
    order,
  } = input;
  const recipient = to ? addressOf(to) : searched;
  const by = recipient === undefined ? MESSAGE : RECIPIENT;
  const conditions = [
    condition,
    recipient !== undefined && Prisma.sql`r.address = ${recipient}`,
    to && searched !== undefined && isAddressedTo(searched),
    direction && Prisma.sql`m.direction = ${direction}::direction`,
    status && Prisma.sql`m.status = ${status}::message_status`,
    accepted && ACCEPTED,
    messageId && Prisma.sql`m.message_id = ${messageId}`,
    from && Prisma.sql`m.from_address = ${addressOf(from)}`,
    since && Prisma.sql`${by.column} >= ${since}::timestamptz`,
    until && Prisma.sql`${by.column} < ${until}::timestamptz`,
  ].filter((each) => each instanceof Prisma.Sql);
  // The caller has access to a domain that the request names: listMessages checks it.
  const ids = domainId ? [domainId] : accessibleDomainIds(actor);
  // The index of recipients has no domains, so one query for all of them reads it once.
  const isMerged = recipient === undefined;
  if (ids && !isMerged) conditions.push(Prisma.sql`m.domain_id = ANY(${ids}::uuid[])`);
  const selection: Selection = {
    columns: COLUMNS,
    from: isMerged ? Prisma.sql`message m` : Prisma.sql`message_recipient r JOIN message m ON m.id = r.message_id`,
    conditions,
    by,
    order,
    position,
    domains: { column: Prisma.sql`m.domain_id`, ids: isMerged ? ids : null },
  };
  return isMerged ? { selection, words } : { selection, words, searchAtMost: SEARCHED_COUNT_BY_RECIPIENT };
}

// As `sent` in the statistics.
const ACCEPTED = Prisma.sql`
  m.direction = 'outbound' AND m.status NOT IN ('submitting', 'uncertain')
  AND (m.status <> 'failed' OR m.queue_id IS NOT NULL)`;

/** Each message to a recipient takes a look-up. */
const SEARCHED_COUNT_BY_RECIPIENT = 1_000;

const MESSAGE = { column: Prisma.sql`m.created_at`, id: Prisma.sql`m.id`, name: 'createdAt' } as const;
const RECIPIENT = { column: Prisma.sql`r.created_at`, id: Prisma.sql`r.message_id`, name: 'createdAt' } as const;

function isAddressedTo(address: string): Prisma.Sql {
  return Prisma.sql`EXISTS (SELECT FROM message_recipient o WHERE o.message_id = m.id AND o.address = ${address})`;
}

function addressOf(text: string): string {
  return parseAddress(text)?.address ?? text;
}
