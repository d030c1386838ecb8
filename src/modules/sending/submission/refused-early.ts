import { parseAddress } from '@/lib/mail/address';
import { suppressionAddress } from '@/lib/mail/suppression';
import { uuidv7 } from '@/lib/uuid';
import { findRefusal } from '@/modules/abuse/service';
import type { ActorContext } from '@/server/procedures/context';
import type { UnrenderedMessage } from '../composing/message-jobs';
import { requireSendable, sendingSuspended } from './submit';

/**
 * Refuses a message before its text is made, as its submission would: nothing can be sent, its sender is suspended, or the sender or its
 * domain is at the hourly limit. It records nothing, because a message that would never be submitted isn't counted: suspensions and
 * alerts follow from submissions only.
 * @throws SEND_UNAVAILABLE, MAILBOX_SUSPENDED, RATE_LIMIT_EXCEEDED
 */
export async function refuseEarly(ctx: ActorContext, message: UnrenderedMessage): Promise<void> {
  await requireSendable(0);
  const sender = parseAddress(message.from);
  if (message.isScheduled || !sender) return;
  const refusal = await findRefusal(ctx, { domain: sender.domain, address: sender.address.toLowerCase() });
  // A submission to suppressed recipients only is refused for that, before it is counted.
  if (refusal === null || (await isSuppressed(ctx, message, refusal.domainId))) return;
  throw refusal.isSuspended ? sendingSuspended(message.from) : await refusal.error();
}

/** Whether nobody is left to send to. */
async function isSuppressed({ db, clock }: ActorContext, message: UnrenderedMessage, domainId: string) {
  const recipients = message.recipients.map(({ address }) => {
    return { id: uuidv7(), address, suppression_address: suppressionAddress(address) };
  });
  const [{ count }] = await db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count
      FROM find_suppressed_in_lists(ARRAY[${uuidv7()}::uuid], ARRAY[${domainId}::uuid], ARRAY[${message.isTransactional}::boolean],
                                    ARRAY[${message.list}::text], ARRAY[${clock.now()}::timestamptz],
                                    ARRAY[${JSON.stringify(recipients)}::jsonb])`;
  return count === recipients.length;
}
