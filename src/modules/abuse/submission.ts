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
  const isCounted = () => ctx.database.countedSend.findUnique({ where: { id }, select: { id: true } });
  if (await isCounted()) return 'DUNNO';
  const address = sender.address.toLowerCase();
  const counting = await count(ctx, { id, address, domainId: domain.id }).catch(async (error: unknown) => {
    if (await isCounted()) return null;
    throw error;
  });
  if (counting === null || counting.verdict === 'counted') return 'DUNNO';
  if (counting.verdict === 'suspended') return '550 5.7.1 The mailbox is suspended from sending';
  const { message } = await refuse(ctx, { domain, address, counting });
  return `450 4.7.1 ${message}`;
}

const DOMAIN = { id: true, name: true } as const;

async function count(ctx: Sending, sent: { id: string; address: string; domainId: string }): Promise<Counting> {
  const [counting] = await ctx.database.$queryRaw<[Counting]>`
    SELECT verdict, mailbox_id AS "mailboxId", counted_from AS "countedFrom", sent, allowed, free_at AS "freeAt"
      FROM count_send(${sent.id}::uuid, ${sent.address}, ${sent.domainId}::uuid, ${ctx.clock.now()}::timestamptz)`;
  return counting;
}
