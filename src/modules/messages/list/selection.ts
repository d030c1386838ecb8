import { parseSearchedAddress } from '@/lib/mail/address';
import { type Tags, templateTag } from '@/lib/mail/message-tags';
import { DIRECTIONS, MESSAGE_STATUSES } from '@/lib/mail/outcomes';
import type { UsedTemplate } from '@/modules/templates/schema';
import { accessibleDomainIds } from '@/server/access/authorize';
import type { Search } from '@/server/list/find-page';
import type { Selection } from '@/server/list/select-page';
import type { Position } from '@/server/pagination';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { ListMessages } from '../lists';
import type { MessageSummary } from '../schema';
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
  tags: Tags | null;
  template: UsedTemplate | null;
  sendAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

/** A message by what an index has of it, for counting. */
export type CountedRow = Pick<SummaryRow, 'id' | 'status' | 'createdAt'>;

/** The filters of a request. */
export type Filters = Omit<ListMessages, 'cursor' | 'limit' | 'sort'>;

export const SUMMARY = Prisma.sql`
  m.id, m.message_id AS "messageId", m.queue_id AS "queueId", m.domain_id AS "domainId", m.direction,
  m.from_address AS "fromAddress", coalesce(m.to_addresses, '{}') AS "toAddresses", m.subject,
  m.size_bytes AS "sizeBytes", m.status, m.spam_score AS "spamScore", m.tags, m.template, m.send_at AS "sendAt", m.created_at AS "createdAt",
  m.updated_at AS "updatedAt"`;
export const COUNTED = Prisma.sql`m.id, m.status, m.created_at AS "createdAt"`;

/**
 * The messages that a request lists, for one meaning of its search text, by each index that has one of its conditions: the
 * other conditions are filters. The most selective one is first.
 */
export function searchOf(
  { actor }: ActorContext,
  input: Filters,
  { columns, position }: { columns: Prisma.Sql; position: Position | null },
  meaning: Meaning,
): Search {
  const {
    domain_id: domainId,
    direction,
    status,
    message_id: messageId,
    tag,
    template,
    from,
    to,
    order,
    api_key_id: keyId,
  } = input;
  // The caller has access to a domain that the request names: listMessages checks it.
  const ids = domainId ? [domainId] : accessibleDomainIds(actor);
  const wanted: Wanted = {
    input,
    ids,
    named: onlySql([messageId && Prisma.sql`m.message_id = ${messageId}`, meaning.named]),
    // A template has fewer messages than a tag such as the environment, and no more than its domain.
    tags: onlyText([template && templateTag(template), tag]),
    recipients: onlyText([to && addressOf(to), meaning.recipient]),
    senders: onlyText([from && addressOf(from), meaning.sender]),
    keys: onlySql([keyId && Prisma.sql`m.api_key_id = ${keyId}::uuid`]),
    scope: onlySql([
      ids && Prisma.sql`m.domain_id = ANY(${ids}::uuid[])`,
      direction && Prisma.sql`m.direction = ${direction}::direction`,
    ]),
    status: onlySql([status && Prisma.sql`m.status = ${status}::message_status`, ...acceptedOf(input)]),
  };
  const common = { columns, order, position };
  const found = [byName, byTag, byRecipient, bySender, byKey].map((by) => by(wanted, common));
  const exact = found.filter((each) => each !== null);
  const isListed = exact.length === 0 || wanted.scope.length + wanted.status.length > 0;
  const [selection, ...alternatives] = [...exact, ...(isListed ? [byClass(wanted, common)] : [])] as [Selection];
  const searchAtMost = wanted.recipients.length + wanted.tags.length === 0 ? undefined : SEARCHED_COUNT_BY_LOOK_UP;
  return { selection, alternatives, words: meaning.words, searchAtMost };
}

type Wanted = {
  input: Filters;
  /** Domains; null for all. */
  ids: string[] | null;
  /** Message-ID and queue id, which few messages share. */
  named: Prisma.Sql[];
  /** With that of the template. */
  tags: string[];
  recipients: string[];
  senders: string[];
  /** The API key that sent it. */
  keys: Prisma.Sql[];
  /** Domain and direction. */
  scope: Prisma.Sql[];
  status: Prisma.Sql[];
};

type Common = Pick<Selection, 'columns' | 'order' | 'position'>;

const MESSAGE = { column: Prisma.sql`m.created_at`, id: Prisma.sql`m.id`, name: 'createdAt' } as const;
const RECIPIENT = { column: Prisma.sql`r.created_at`, id: Prisma.sql`r.message_id`, name: 'createdAt' } as const;
const TAG = { column: Prisma.sql`t.created_at`, id: Prisma.sql`t.message_id`, name: 'createdAt' } as const;
const OF_ALL_DOMAINS = { column: Prisma.sql`m.domain_id`, ids: null };

function byName(
  { input, named, tags, recipients, senders, keys, scope, status }: Wanted,
  common: Common,
): Selection | null {
  const [first, ...others] = named;
  if (!first) return null;
  return {
    ...common,
    from: Prisma.sql`message m`,
    by: MESSAGE,
    conditions: [first, ...timeOf(input, MESSAGE)],
    filters: [
      ...others,
      ...tags.map(isTagged),
      ...recipients.map(isAddressedTo),
      ...senders.map(isFrom),
      ...keys,
      ...scope,
      ...status,
    ],
    domains: OF_ALL_DOMAINS,
  };
}

/** Tags have the time of their message. */
function byTag(
  { input, named, tags, recipients, senders, keys, scope, status }: Wanted,
  common: Common,
): Selection | null {
  const [tag, ...others] = tags;
  if (tag === undefined) return null;
  return {
    ...common,
    from: Prisma.sql`message_tag t LEFT JOIN message m ON m.id = t.message_id`,
    by: TAG,
    conditions: [Prisma.sql`t.tag = ${tag}`, ...timeOf(input, TAG)],
    filters: [
      ...named,
      ...others.map(isTagged),
      ...recipients.map(isAddressedTo),
      ...senders.map(isFrom),
      ...keys,
      ...scope,
      ...status,
    ],
    domains: OF_ALL_DOMAINS,
  };
}

/** Recipients have the time of their message. */
function byRecipient(
  { input, named, tags, recipients, senders, keys, scope, status }: Wanted,
  common: Common,
): Selection | null {
  const [recipient, ...others] = recipients;
  if (recipient === undefined) return null;
  return {
    ...common,
    // LEFT, so that Postgres leaves it out where only the order is needed.
    from: Prisma.sql`message_recipient r LEFT JOIN message m ON m.id = r.message_id`,
    by: RECIPIENT,
    conditions: [Prisma.sql`lower(r.address) = lower(${recipient})`, ...timeOf(input, RECIPIENT)],
    filters: [
      ...named,
      ...tags.map(isTagged),
      ...others.map(isAddressedTo),
      ...senders.map(isFrom),
      ...keys,
      ...scope,
      ...status,
    ],
    domains: OF_ALL_DOMAINS,
  };
}

/** The index of senders has the status too. */
function bySender({ input, named, tags, recipients, senders, keys, scope }: Wanted, common: Common): Selection | null {
  const [sender, ...others] = senders;
  if (sender === undefined) return null;
  return {
    ...common,
    from: Prisma.sql`message m`,
    by: MESSAGE,
    conditions: [isFrom(sender), ...timeOf(input, MESSAGE)],
    filters: [
      ...[...named, ...tags.map(isTagged), ...recipients.map(isAddressedTo), ...others.map(isFrom)],
      ...[...keys, ...scope, ...acceptedOf(input)],
    ],
    domains: OF_ALL_DOMAINS,
    classes: [statusClass(input)],
    isIndexed: common.columns === SUMMARY,
  };
}

function byKey(
  { input, named, tags, recipients, senders, keys, scope, status }: Wanted,
  common: Common,
): Selection | null {
  const [key] = keys;
  if (!key) return null;
  return {
    ...common,
    from: Prisma.sql`message m`,
    by: MESSAGE,
    conditions: [key, ...timeOf(input, MESSAGE)],
    filters: [
      ...[...named, ...tags.map(isTagged), ...recipients.map(isAddressedTo), ...senders.map(isFrom)],
      ...[...scope, ...status],
    ],
    domains: OF_ALL_DOMAINS,
  };
}

function byClass({ input, ids, named, tags, recipients, senders, keys }: Wanted, common: Common): Selection {
  const classes = classesOf(input);
  return {
    ...common,
    from: Prisma.sql`message m`,
    by: MESSAGE,
    conditions: timeOf(input, MESSAGE),
    filters: [
      ...[...named, ...tags.map(isTagged), ...recipients.map(isAddressedTo), ...senders.map(isFrom), ...keys],
      ...acceptedOf(input),
    ],
    domains: { ...OF_ALL_DOMAINS, ids },
    classes,
    isIndexed: classes.length > 0 && common.columns === SUMMARY,
  };
}

// As `sent` in the statistics.
const ACCEPTED_STATUSES = ['sent', 'deferred', 'delivered', 'bounced', 'failed'] as const;
const ACCEPTED = Prisma.sql`
  m.direction = 'outbound' AND m.status NOT IN ('submitting', 'uncertain', 'scheduled', 'cancelled')
  AND (m.status <> 'failed' OR m.queue_id IS NOT NULL)`;

function acceptedOf({ accepted }: Filters): Prisma.Sql[] {
  return accepted ? [ACCEPTED] : [];
}

/** Each message to a recipient or with a tag takes a look-up. */
const SEARCHED_COUNT_BY_LOOK_UP = 1_000;

type Classes = NonNullable<Selection['classes']>;

/** The index has both, so a filter by one of them reads the messages of each value of the other. */
function classesOf(input: Filters): Classes {
  const { direction, status, accepted } = input;
  if (!direction && !status && !accepted) return [];
  const values = direction ? [direction] : accepted ? (['outbound'] as const) : DIRECTIONS;
  return [{ column: Prisma.sql`m.direction`, type: 'direction', values }, statusClass(input)];
}

function statusClass({ status, accepted }: Filters): Classes[number] {
  const values = status ? [status] : accepted ? ACCEPTED_STATUSES : MESSAGE_STATUSES;
  return { column: Prisma.sql`m.status`, type: 'message_status', values };
}

function timeOf({ since, until }: Filters, { column }: Selection['by']): Prisma.Sql[] {
  return onlySql([
    since && Prisma.sql`${column} >= ${since}::timestamptz`,
    until && Prisma.sql`${column} < ${until}::timestamptz`,
  ]);
}

function onlyText(texts: unknown[]): string[] {
  return texts.filter((each) => typeof each === 'string');
}

function onlySql(conditions: unknown[]): Prisma.Sql[] {
  return conditions.filter((each) => each instanceof Prisma.Sql);
}

// Not EXISTS, which Postgres would answer for all messages at once, by a scan. The time is that of the message, for the index.
function isAddressedTo(address: string): Prisma.Sql {
  return Prisma.sql`(
    SELECT true FROM message_recipient o
     WHERE o.message_id = m.id AND o.created_at = m.created_at AND lower(o.address) = lower(${address}) LIMIT 1) IS TRUE`;
}

function isTagged(tag: string): Prisma.Sql {
  return Prisma.sql`(SELECT true FROM message_tag o WHERE o.message_id = m.id AND o.tag = ${tag}) IS TRUE`;
}

function isFrom(address: string): Prisma.Sql {
  return Prisma.sql`lower(m.from_address) = lower(${address})`;
}

function addressOf(text: string): string {
  return parseSearchedAddress(text)?.address ?? text;
}
