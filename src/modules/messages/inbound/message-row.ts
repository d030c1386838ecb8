import { uuidv7 } from '@/lib/uuid';
import { lockKeys } from '@/server/database/advisory-locks';
import type { Tx } from '@/server/database/db';
import { jsonParameter } from '@/server/database/json-parameter';
import type { InboundRoute, MessageStatus } from '../schema';
import type { Header } from './header';

/** The columns of an inbound message that come from its content. */
export type MessageFields = {
  messageId: string;
  fromAddress: string;
  subject: string;
  sizeBytes: number;
  spamScore: number | null;
};

export type InboundRow = {
  queueId: string;
  domainId: string;
  /** Envelope addresses of this domain. */
  recipients: { address: string; route: InboundRoute }[];
  status: MessageStatus;
  at: Date;
  fields: MessageFields;
  /** Events that its trace gets. */
  trace?: TraceRow[];
};

export type TraceRow = { id: string; type: string; at: Date; recipient: string; detail: object };

export function fieldsOf({ messageId, from, subject }: Header): Omit<MessageFields, 'sizeBytes' | 'spamScore'> {
  return { messageId, fromAddress: from, subject };
}

/** Locks the rows of these inbound messages until the transaction ends. Acquire it before any other lock. */
export async function lockInbound(tx: Tx, queueIds: readonly string[]): Promise<void> {
  await lockKeys(tx, 'inboundMessage', queueIds);
}

export const UNDELIVERED = ['deferred', 'bounced', 'failed'] as const satisfies MessageStatus[];

/**
 * Stores the row of a message in one domain, with its recipients and events of its trace, in one statement. A row created
 * before the message was delivered may lack fields that are known now; they are updated.
 */
export async function findOrCreateRow(tx: Tx, row: InboundRow): Promise<{ id: string; isKnown: boolean }> {
  const [stored] = await tx.$queryRaw<{ id: string; isKnown: boolean }[]>`/* prepared */
    SELECT id, is_known AS "isKnown" FROM store_inbound(${jsonParameter([encodeRow(row)])}::jsonb)`;
  return stored as { id: string; isKnown: boolean };
}

/** Returns a row as the SQL function store_inbound stores it. */
export function encodeRow({ queueId, domainId, recipients, status, at, fields, trace = [] }: InboundRow): object {
  return {
    id: uuidv7(),
    queue_id: queueId,
    domain_id: domainId,
    to_addresses: recipients.map(({ address }) => address),
    status,
    created_at: at,
    message_id: fields.messageId,
    from_address: fields.fromAddress,
    subject: fields.subject,
    size_bytes: fields.sizeBytes,
    spam_score: fields.spamScore,
    recipients: recipients.map((recipient) => ({ id: uuidv7(), ...recipient })),
    trace,
  };
}
