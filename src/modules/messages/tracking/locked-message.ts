import { parseAddress } from '@/lib/mail/address';
import { uuidv7 } from '@/lib/uuid';
import { emitEvent, type NewEvent } from '@/modules/events/service';
import type { Tx } from '@/server/database/db';
import type { Prisma } from '@/server/prisma/client';
import { type EventLabels, eventLabelsOf, type MessageStatus } from '../schema';

/** The facts about an outbound message that events contain. None of them changes. */
export type SentMessage = EventLabels & {
  id: string;
  messageId: string;
  fromAddress: string;
  toAddresses: string[];
  subject: string;
  createdAt: Date;
  domainId: string | null;
  domainName: string | null;
};

/** An outbound message, locked until the transaction ends. */
export type LockedMessage = SentMessage & { queueId: string | null; status: MessageStatus };

const UNANSWERED = ['submitting', 'uncertain'] as const satisfies MessageStatus[];

export function isUnanswered({ status }: { status: MessageStatus }): boolean {
  return (UNANSWERED as readonly string[]).includes(status);
}

// FOR UPDATE returns the row as of when the lock is acquired, not as of the start of the statement.
export async function lockMessage(tx: Tx, id: string): Promise<LockedMessage> {
  const [message] = await tx.$queryRaw<LockedMessage[]>`/* prepared */
    SELECT m.id, m.message_id AS "messageId", m.queue_id AS "queueId", m.status::text AS status,
           m.from_address AS "fromAddress", m.to_addresses AS "toAddresses", m.subject, m.created_at AS "createdAt",
           m.domain_id AS "domainId", d.name AS "domainName", m.tags, m.metadata, m.template
      FROM message m LEFT JOIN domain d ON d.id = m.domain_id
     WHERE m.direction = 'outbound' AND m.id = ${id}::uuid
       FOR UPDATE OF m`;
  if (!message) throw new Error('message not found');
  return message;
}

/** Adds `queued` to the trace and emits mail.sent, once per message. */
export async function recordAccepted(
  tx: Tx,
  message: LockedMessage,
  { at, detail }: { at: Date; detail: Prisma.InputJsonObject },
): Promise<void> {
  const event = { id: uuidv7(), messageId: message.id, type: 'queued', at, detail };
  await tx.messageEvent.create({ data: event, select: { id: true } });
  await emitEvent(tx, sentEvent(message, at));
}

export function sentEvent(message: SentMessage, at: Date): NewEvent {
  const { id: messageRowId, messageId, fromAddress: from, toAddresses: to, subject, domainId } = message;
  const data = { message_id: messageId, from, to, subject, domain: domainOf(message), ...eventLabelsOf(message) };
  return { type: 'mail.sent', messageId, messageRowId, domainId, at, data };
}

export function domainOf({ domainName, fromAddress }: SentMessage): string {
  return domainName ?? parseAddress(fromAddress)?.domain ?? '';
}

export function isFinal(status: MessageStatus): boolean {
  return FINAL.has(status);
}

const FINAL: ReadonlySet<MessageStatus> = new Set(['delivered', 'bounced', 'failed']);
