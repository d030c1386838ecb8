import { parseAddress } from '@/lib/address';
import { type Counting, refuse, type Sending } from './rates';

type Submission = {
  /** The message's own, the same whenever it is asked about. */
  id: string;
  /** The mailbox that signed in, which is the sender. */
  login: string;
};

/**
 * Counts a message that a mailbox submits by SMTP for the hourly rates, as one by the API is counted.
 * @returns what Postfix does with it, as in access(5): DUNNO lets it go on
 */
export async function admitSubmission(ctx: Sending, { id, login }: Submission): Promise<string> {
  const sender = parseAddress(login);
  const domain = sender && (await ctx.database.domain.findUnique({ where: { name: sender.domain }, select: DOMAIN }));
  if (!sender || !domain) return '550 5.7.1 This mailbox may not send';
  const isCounted = await ctx.database.countedSend.findUnique({ where: { id }, select: { id: true } });
  if (isCounted) return 'DUNNO';
  const address = sender.address.toLowerCase();
  const [counting] = await ctx.database.$queryRaw<[Counting]>`
    SELECT verdict, mailbox_id AS "mailboxId", counted_from AS "countedFrom", sent, allowed, free_at AS "freeAt"
      FROM count_send(${id}::uuid, ${address}, ${domain.id}::uuid, ${ctx.clock.now()}::timestamptz)`;
  if (counting.verdict === 'counted') return 'DUNNO';
  if (counting.verdict === 'suspended') return '550 5.7.1 The mailbox is suspended from sending';
  const { message } = await refuse(ctx, { domain, address, counting });
  return `450 4.7.1 ${message}`;
}

const DOMAIN = { id: true, name: true } as const;
