import { parseAddress } from '@/lib/mail/address';
import { uuidv7 } from '@/lib/uuid';
import { findRefusal, rejectSend } from '@/modules/abuse/service';
import type { ActorContext } from '@/server/procedures/context';
import { sendingSuspended } from './submit';

/**
 * Refuses a message before its text is made, as its submission would: its sender is suspended, or the sender or its domain is at the
 * hourly limit.
 * @throws MAILBOX_SUSPENDED, RATE_LIMIT_EXCEEDED
 */
export async function refuseEarly(ctx: ActorContext, from: string): Promise<void> {
  const sender = parseAddress(from);
  if (!sender) return;
  const over = await findRefusal(ctx, { id: uuidv7(), ...sender, address: sender.address.toLowerCase() });
  if (over === null) return;
  throw over.counting.result === 'suspended' ? sendingSuspended(from) : await rejectSend(ctx, over);
}
