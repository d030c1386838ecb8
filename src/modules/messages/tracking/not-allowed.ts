import type { Tx } from '@/server/db';
import { lockMessage } from './locked-message';
import { recordAlone } from './submissions';

/** Records that a scheduled message, which the caller has locked, isn't sent: status, trace and an event for each recipient. */
export async function recordNotAllowed(
  tx: Tx,
  id: string,
  { reason, at }: { reason: string; at: Date },
): Promise<void> {
  await tx.message.update({ where: { id }, data: { status: 'submitting', createdAt: at }, select: { id: true } });
  await tx.messageRecipient.updateMany({ where: { messageId: id }, data: { status: 'submitting', createdAt: at } });
  await tx.messageTag.updateMany({ where: { messageId: id }, data: { createdAt: at } });
  const recipients = await tx.messageRecipient.findMany({ where: { messageId: id }, select: { address: true } });
  const message = { ...(await lockMessage(tx, id)), recipients: recipients.map(({ address }) => address) };
  const reply = { smtpCode: null, enhancedCode: null, response: reason };
  const refused = { outcome: 'refused', cause: 'not_allowed', isTemporary: false } as const;
  await recordAlone(tx, { message, outcome: { ...refused, ...reply, refusedRecipients: [] }, at });
}
