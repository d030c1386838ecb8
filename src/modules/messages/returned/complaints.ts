import { uuidv7 } from '@/lib/uuid';
import { emitEvent } from '@/modules/events/service';
import { suppressFrom } from '@/modules/suppressions/service';
import type { Tx } from '@/server/database/db';
import { eventLabelsOf } from '../schema';
import { domainOf, lockMessage } from '../tracking/locked-message';
import type { ReturnedMail } from './reading/report';

type Complaint = Extract<ReturnedMail, { kind: 'complaint' }>;

/**
 * Records that a recipient complained about a message: trace, event and suppression, once per recipient. Providers often leave out
 * who complained, which is clear if there is one recipient. With several, nobody is suppressed, since all know the bounce address.
 * @returns false if it isn't clear which recipient complained
 */
export async function recordComplaint(
  tx: Tx,
  { id }: { id: string },
  { type, recipients: named }: Complaint,
  at: Date,
): Promise<boolean> {
  const message = await lockMessage(tx, id);
  const recipients = await tx.messageRecipient.findMany({ where: { messageId: id }, select: { address: true } });
  const names = new Set(named.map((name) => name.toLowerCase()));
  const isAlone = recipients.length === 1;
  const found =
    recipients.find(({ address }) => names.has(address.toLowerCase())) ?? (isAlone ? recipients[0] : undefined);
  if (!found) return false;
  const { address: recipient } = found;
  const known = await tx.messageEvent.count({ where: { messageId: id, type: 'complained', recipient } });
  if (known > 0) return true;
  const detail = { feedback_type: type };
  await tx.messageEvent.create({
    data: { id: uuidv7(), messageId: id, type: 'complained', at, recipient, detail },
    select: { id: true },
  });
  const { messageId, domainId, fromAddress: from, toAddresses: to, subject, queueId } = message;
  const data = { message_id: messageId, from, to, recipient, subject, domain: domainOf(message), queue_id: queueId };
  const body = { ...data, feedback_type: type, ...eventLabelsOf(message) };
  await emitEvent(tx, { type: 'mail.complained', messageId, messageRowId: id, domainId, at, data: body });
  if (isAlone && domainId) {
    await suppressFrom(tx, {
      email: recipient,
      domainId,
      reason: 'complaint',
      list: null,
      sourceMessageId: id,
      detail: type === 'abuse' ? 'Reported as spam' : 'Opted out in the mail program',
      at,
    });
  }
  return true;
}
