import { parseAddress } from '@/lib/mail/address';
import { suppressionAddress } from '@/lib/mail/suppression';
import { uuidv7 } from '@/lib/uuid';
import type { Counting } from '@/modules/abuse/service';
import { accessibleDomainIds, type FoundDomain } from '@/server/access/authorize';
import type { Tx } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { PreparedMessage } from '../composing/message-jobs';
import type { SuppressedRecipient } from '../schema';
import { IS_RECEIVING_HERE, mailHostFor, type Returns } from './envelope-sender';
import { STORED, type StoredAs } from './stored-as';

/** The position of a message in a call with an Idempotency-Key. */
export type IdempotencySlot = { keyId: string; batchIndex: number };

export type NewMessage = {
  id: string;
  message: PreparedMessage;
  slot?: IdempotencySlot;
  /** Whether it can be submitted at all. If not, its domain is looked up only. */
  isSendable: boolean;
};

/**
 * The sender's domain, null if there is none, and the result of counting, null unless the sender has access to the domain and
 * anybody is left to send to.
 */
export type Admission = {
  domain: FoundDomain | null;
  /** Null unless there is a domain. */
  returns: Returns | null;
  counting: Counting | null;
  /** Recipients that the message was not stored for. */
  suppressed: SuppressedRecipient[];
};

/** A message as the statement takes it. */
export type MessageRow = ReturnType<typeof messageRow>;

export function messageRow(
  { actor, clock }: Pick<ActorContext, 'actor' | 'clock'>,
  { id, message, slot, isSendable }: NewMessage,
) {
  const by = actor.key
    ? { source: 'api_key', api_key_id: actor.key.id }
    : { source: 'console', session_id: actor.session?.id ?? null };
  return {
    id,
    domain_name: parseAddress(message.from)?.domain ?? '',
    accessible_ids: accessibleDomainIds(actor),
    is_sendable: isSendable,
    message_id: message.messageId,
    from_address: message.from,
    to_addresses: toAddresses(message),
    copy_addresses: message.recipients.filter(({ kind }) => kind !== 'to').map(({ address }) => address),
    subject: message.subject,
    size_bytes: message.raw.byteLength,
    api_key_id: actor.key?.id ?? null,
    idempotency_key_id: slot?.keyId ?? null,
    batch_index: slot?.batchIndex ?? null,
    created_at: clock.now(),
    is_transactional: message.isTransactional ?? false,
    list: message.list ?? null,
    tags: message.tags,
    metadata: message.metadata && JSON.stringify(message.metadata),
    template: message.template,
    recipients: message.recipients.map((recipient) => ({
      id: uuidv7(),
      ...recipient,
      suppression_address: suppressionAddress(recipient.address),
    })),
    event_id: uuidv7(),
    detail: { by: actor.admin.email, ...by },
  };
}

/**
 * Counts messages against the hourly limits and stores those that they allow, with first events and all recipients that are not
 * suppressed. Scheduled ones that are due (`as`) are stored already, and change. One statement does all, so the locks of the counts are held only that long. Messages are counted by sender, in the
 * order of the domains' locks, so that two statements never wait for each other.
 */
export async function admitMessages(db: Tx, rows: MessageRow[], as: StoredAs = 'new'): Promise<Admission[]> {
  const { created, addressed, accepted, tagged } = STORED[as];
  const isTagged = rows.some(({ tags, template }) => tags ?? template);
  const found = await db.$queryRaw<FoundRow[]>`/* prepared */
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS m(
        id uuid, domain_name text, accessible_ids uuid[], is_sendable boolean, message_id text, from_address text,
        to_addresses text[], copy_addresses text[], subject text, size_bytes integer, api_key_id uuid, idempotency_key_id uuid,
        batch_index integer, created_at timestamptz, is_transactional boolean, list text, tags jsonb, metadata text, template jsonb,
        recipients jsonb, event_id uuid, detail jsonb)
    ), sender AS MATERIALIZED (
      SELECT given.id AS message, d.id, d.name, d.active,
             ${IS_RECEIVING_HERE} AS is_here
        FROM given JOIN domain d ON d.name = given.domain_name
    ), permitted AS MATERIALIZED (
      SELECT given.*, sender.id AS domain_id FROM given JOIN sender ON sender.message = given.id
       WHERE given.is_sendable AND sender.active AND (given.accessible_ids IS NULL OR sender.id = ANY (given.accessible_ids))
    ), suppressed AS MATERIALIZED (
      SELECT s.*
        FROM (SELECT array_agg(id) AS ids, array_agg(domain_id) AS domains, array_agg(is_transactional) AS transactional,
                     array_agg(list) AS lists,
                     array_agg(created_at) AS moments, array_agg(recipients) AS recipients FROM permitted) AS p,
             find_suppressed_in_lists(p.ids, p.domains, p.transactional, p.lists, p.moments, p.recipients) AS s
    ), allowed AS MATERIALIZED (
      SELECT * FROM permitted p
       WHERE jsonb_array_length(p.recipients) > (SELECT count(*) FROM suppressed WHERE suppressed.message = p.id)
    ), sent AS MATERIALIZED (
      SELECT domain_id, lower(from_address) AS address, array_agg(id ORDER BY created_at, id) AS ids,
             array_agg(created_at ORDER BY created_at, id) AS moments
        FROM allowed GROUP BY 1, 2 ORDER BY hashtext(domain_id::text)
    ), counting AS MATERIALIZED (
      SELECT c.* FROM sent, count_sends(sent.ids, sent.moments, sent.address, sent.domain_id) AS c
    ), created AS (${created}
    )${isTagged ? tagged : Prisma.empty}, addressed AS (${addressed}
    ), recorded AS (
      INSERT INTO message_event (id, message_id, type, at, recipient, detail)${accepted}
      SELECT s.id, created.id, 'suppressed', allowed.created_at, s.address, jsonb_build_object('reason', s.reason)
        FROM created JOIN allowed ON allowed.id = created.id JOIN suppressed s ON s.message = created.id
    ), announced AS MATERIALIZED (
      SELECT emit_suppressed(jsonb_agg(jsonb_build_object(
               'message_row_id', created.id, 'message_id', CASE WHEN created.id IS NOT NULL THEN p.message_id END,
               'domain_id', p.domain_id, 'domain', p.domain_name, 'from_address', p.from_address, 'to_addresses', p.to_addresses,
               'subject', p.subject, 'recipient', s.address, 'reason', s.reason, 'at', p.created_at, 'tags', p.tags,
               'metadata', p.metadata, 'template', p.template)))
        FROM suppressed s JOIN permitted p ON p.id = s.message LEFT JOIN created ON created.id = p.id
       WHERE created.id IS NOT NULL OR NOT EXISTS (SELECT FROM allowed WHERE allowed.id = p.id)
      HAVING count(*) > 0
    )
    SELECT given.id AS message, sender.id, sender.name, sender.active, c.result, c.mailbox_id AS "mailboxId",
           c.counted_from AS "countedFrom", c.sent, c.allowed, c.free_at AS "freeAt", (SELECT count(*) FROM announced),
           (SELECT jsonb_agg(jsonb_build_object('email', address, 'reason', reason)) FROM suppressed s WHERE s.message = given.id)
             AS suppressed,
           sender.is_here AS "isReceivingHere",
           ${mailHostFor(Prisma.sql`sender.id`)} AS "mailHost"
      FROM given LEFT JOIN sender ON sender.message = given.id LEFT JOIN counting c ON c.message = given.id`;
  const byId = new Map(found.map((row) => [row.message, row]));
  return rows.map((row) => toAdmission(byId.get(row.id) as FoundRow));
}

type FoundRow = { message: string; suppressed: SuppressedRecipient[] | null } & Returns &
  (FoundDomain | { id: null }) &
  (Counting | { result: null });

function toAdmission({ message, suppressed, isReceivingHere, mailHost, ...row }: FoundRow): Admission {
  return {
    domain: row.id === null ? null : (row as FoundDomain),
    returns: row.id === null ? null : { isReceivingHere, mailHost },
    counting: row.result === null ? null : (row as Counting),
    suppressed: suppressed ?? [],
  };
}

export function toAddresses({ recipients }: PreparedMessage): string[] {
  return recipients.filter(({ kind }) => kind === 'to').map(({ address }) => address);
}
