import { MAX_RECIPIENTS, parseAddress } from '@/lib/mail/address';
import { type Counting, rejectOverLimit, type SendContext } from './rates';

export type Submission = {
  /** The id of the message, the same in every call about it. */
  id: string;
  /** The mailbox that signed in, or the envelope sender of an API key. */
  sender: string;
  recipientCount: number;
};

/**
 * Counts a message submitted by SMTP towards the hourly limits, like one sent with the API, and with as many recipients at
 * most. Repeated calls count once.
 * @returns the action for Postfix, as in access(5): DUNNO accepts the message
 */
export async function admitSubmission(
  ctx: SendContext,
  { id, sender: from, recipientCount }: Submission,
): Promise<string> {
  if (recipientCount > MAX_RECIPIENTS) return `550 5.5.3 A message can have at most ${MAX_RECIPIENTS} recipients`;
  const sender = parseAddress(from);
  const domain = sender && (await ctx.db.domain.findUnique({ where: { name: sender.domain }, select: DOMAIN }));
  if (!sender || !domain) return '550 5.7.1 This mailbox is not allowed to send';
  const isCounted = () => ctx.db.countedSend.findUnique({ where: { id }, select: { id: true } });
  if (await isCounted()) return 'DUNNO';
  const address = sender.address.toLowerCase();
  const counting = await countSubmission(ctx, { id, address, domainId: domain.id }).catch(async (error: unknown) => {
    if (await isCounted()) return null;
    throw error;
  });
  if (counting === null || counting.result === 'counted') return 'DUNNO';
  if (counting.result === 'suspended') return '550 5.7.1 The mailbox is suspended from sending';
  const { message } = await rejectOverLimit(ctx, { domain, address, counting });
  return `450 4.7.1 ${message}`;
}

const DOMAIN = { id: true, name: true } as const;

async function countSubmission(
  ctx: SendContext,
  sent: { id: string; address: string; domainId: string },
): Promise<Counting> {
  const [counting] = await ctx.db.$queryRaw<[Counting]>`
    SELECT result, mailbox_id AS "mailboxId", counted_from AS "countedFrom", sent, allowed, free_at AS "freeAt"
      FROM count_sends(ARRAY[${sent.id}::uuid], ARRAY[${ctx.clock.now()}::timestamptz], ${sent.address}, ${sent.domainId}::uuid)`;
  return counting;
}
