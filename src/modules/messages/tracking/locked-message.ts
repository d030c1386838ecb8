import { parseAddress } from '@/lib/address';
import { emitEvent } from '@/modules/events/service';
import type { Tx } from '@/server/db';
import { Prisma } from '@/server/prisma/client';
import type { MessageStatus } from '../schema';

/** An outbound message that nobody else changes until the transaction ends. */
export type LockedMessage = {
  id: string;
  messageId: string;
  queueId: string | null;
  status: MessageStatus;
  fromAddress: string;
  toAddresses: string[];
  subject: string;
  createdAt: Date;
  domainId: string | null;
  domainName: string | null;
};

export const UNANSWERED = ['submitting', 'uncertain'] as const satisfies MessageStatus[];

export function isUnanswered({ status }: { status: MessageStatus }): boolean {
  return (UNANSWERED as readonly string[]).includes(status);
}

export async function lockMessage(tx: Tx, id: string): Promise<LockedMessage> {
  const [message] = await lock(tx, Prisma.sql`m.id = ${id}::uuid`);
  if (!message) throw new Error('There is no such message.');
  return message;
}

/**
 * The outbound message that the MTA means. Its Message-ID counts, since the queue id may not be stored yet; but other mail
 * may copy a Message-ID, so a queue id that is known has to match.
 */
export async function lockReportedMessage(
  tx: Tx,
  { messageId, queueId }: { messageId: string | null; queueId: string | null },
): Promise<LockedMessage | null> {
  const isIts = queueId === null ? Prisma.empty : Prisma.sql`AND (m.queue_id IS NULL OR m.queue_id = ${queueId})`;
  const [named] = messageId === null ? [] : await lock(tx, Prisma.sql`m.message_id = ${messageId} ${isIts}`);
  if (named || queueId === null || messageId !== null) return named ?? null;
  const [known] = await lock(tx, Prisma.sql`m.queue_id = ${queueId}`);
  return known ?? null;
}

/** The MTA has the message: the trace and mail.sent tell so, once a message. */
export async function recordAccepted(
  tx: Tx,
  message: LockedMessage,
  { at, detail }: { at: Date; detail: Prisma.InputJsonObject },
): Promise<void> {
  const event = { messageId: message.id, type: 'queued', at, detail };
  await tx.messageEvent.create({ data: event, select: { id: true } });
  const { messageId, fromAddress: from, toAddresses: to, subject, domainId } = message;
  const data = { message_id: messageId, from, to, subject, domain: domainOf(message) };
  await emitEvent(tx, { type: 'mail.sent', messageId, messageRowId: message.id, domainId, at, data });
}

export function domainOf({ domainName, fromAddress }: LockedMessage): string {
  return domainName ?? parseAddress(fromAddress)?.domain ?? '';
}

/**
 * The status of a message from those of its recipients: `deferred` while any is deferred, `sent` while any has no answer,
 * then `bounced` if any bounced, `failed` if any failed, and `delivered` if all are. Recipients never leave a final
 * status, and so neither does the message.
 */
export function statusOf(recipients: readonly MessageStatus[]): MessageStatus {
  const has = (status: MessageStatus) => recipients.includes(status);
  if (has('deferred')) return 'deferred';
  if (!recipients.every(isFinal)) return 'sent';
  if (has('bounced')) return 'bounced';
  return has('failed') ? 'failed' : 'delivered';
}

export function isFinal(status: MessageStatus): boolean {
  return FINAL.has(status);
}

const FINAL: ReadonlySet<MessageStatus> = new Set(['delivered', 'bounced', 'failed']);

// FOR UPDATE answers with the row as it is once the lock is held, not as it was when the statement began.
function lock(tx: Tx, condition: Prisma.Sql): Promise<LockedMessage[]> {
  return tx.$queryRaw`
    SELECT m.id, m.message_id AS "messageId", m.queue_id AS "queueId", m.status::text AS status,
           m.from_address AS "fromAddress", m.to_addresses AS "toAddresses", m.subject, m.created_at AS "createdAt",
           m.domain_id AS "domainId", d.name AS "domainName"
      FROM message m LEFT JOIN domain d ON d.id = m.domain_id
     WHERE m.direction = 'outbound' AND ${condition}
     ORDER BY m.created_at DESC LIMIT 1
       FOR UPDATE OF m`;
}
