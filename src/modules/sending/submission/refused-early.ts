import { parseAddress } from '@/lib/mail/address';
import type { ActorContext } from '@/server/procedures/context';
import type { UnrenderedMessage } from '../composing/message-jobs';
import { requireSendable, sendingSuspended } from './submit';

/**
 * Refuses a message before its text is made, as its submission would: nothing can be sent, or the mailbox is suspended. Limits are left to the
 * submission, which counts, suspends and opens alerts. A mailbox beyond its limit is suspended by then, so it makes no further text.
 * @throws SEND_UNAVAILABLE, MAILBOX_SUSPENDED
 */
export async function refuseEarly({ db }: ActorContext, message: UnrenderedMessage): Promise<void> {
  await requireSendable(0);
  const sender = parseAddress(message.from);
  if (message.isScheduled || !sender) return;
  const where = { localPart: sender.local.toLowerCase(), domain: { name: sender.domain }, suspendedAt: { not: null } };
  if (await db.mailbox.findFirst({ where, select: { id: true } })) throw sendingSuspended(message.from);
}
