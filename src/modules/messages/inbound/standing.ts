import type { Tx } from '@/server/db';
import type { Prisma } from '@/server/prisma/client';
import type { MessageStatus } from '../schema';

type Standing = Extract<MessageStatus, 'received' | 'deferred' | 'bounced' | 'failed'>;
type Reply = { smtpCode: number | null; enhancedCode: string | null; response: string | null };

/** The way from an address of the envelope to a mailbox, or to an address elsewhere, and how far mail got on it. */
export type Leg = { address: string; destination: string; isForwarded: boolean; standing: Standing; reply: Reply };

/** Each leg that the trace of an inbound message tells of, or its hops at one recipient, as it stands now. */
export async function findLegs(tx: Tx, messageId: string, recipient?: string): Promise<Leg[]> {
  const events = await tx.messageEvent.findMany({
    where: { messageId, recipient, type: { in: ['received', 'forwarded', 'deferred', 'bounced', 'failed'] } },
    select: { type: true, recipient: true, detail: true },
    orderBy: { id: 'asc' },
  });
  const legs = new Map<string, Leg>();
  for (const leg of events.flatMap(legsIn)) {
    const key = `${leg.address} ${leg.destination}`;
    const known = legs.get(key);
    if (!known || FINALITY[leg.standing] > FINALITY[known.standing]) legs.set(key, leg);
  }
  return [...legs.values()];
}

const FINALITY: Record<Standing, number> = { deferred: 0, failed: 1, bounced: 2, received: 3 };

/**
 * Sets the statuses of an inbound message to what its trace says: an address is `deferred` while any of its legs waits,
 * then `bounced` or `failed` if any did, and `received` if all arrived; so is the message by its addresses.
 */
export async function settleStanding(tx: Tx, messageId: string): Promise<void> {
  const legs = await findLegs(tx, messageId);
  const recipients = await tx.messageRecipient.findMany({ where: { messageId } });
  const standings: Standing[] = [];
  for (const { id, address, ...known } of recipients) {
    const own = legs.filter((leg) => leg.address === address);
    if (own.length === 0) continue;
    const { standing, reply } = worstOf(own);
    standings.push(standing);
    if (known.status === standing && known.response === reply.response) continue;
    await tx.messageRecipient.update({ where: { id }, data: { status: standing, ...reply }, select: { id: true } });
  }
  const status = WORST_FIRST.find((standing) => standings.includes(standing));
  if (status) await tx.message.updateMany({ where: { id: messageId, status: { not: status } }, data: { status } });
}

const WORST_FIRST = ['deferred', 'bounced', 'failed', 'received'] as const;
const NO_REPLY: Reply = { smtpCode: null, enhancedCode: null, response: null };

function worstOf(legs: Leg[]): { standing: Standing; reply: Reply } {
  const worst = WORST_FIRST.map((status) => legs.find(({ standing }) => standing === status)).find(Boolean);
  if (!worst || worst.standing === 'received') return { standing: 'received', reply: NO_REPLY };
  return worst;
}

type Told = Pick<Prisma.MessageEventGetPayload<object>, 'type' | 'recipient' | 'detail'>;

function legsIn({ type, recipient, detail }: Told): Leg[] {
  const { addressed_to: addressedTo, forwarded_to: forwardedTo, ...answer } = detail as Detail;
  if (recipient === null) return [];
  const standing = type === 'forwarded' ? 'received' : (type as Standing);
  const reply = {
    smtpCode: answer.smtp_code ?? null,
    enhancedCode: answer.enhanced_code ?? null,
    response: answer.response ?? null,
  };
  const leg = { address: addressedTo ?? recipient, standing, reply };
  const forwarded = forwardedTo?.split(', ').map((destination) => ({ ...leg, destination, isForwarded: true })) ?? [];
  const isMailbox = type === 'received' || forwarded.length === 0;
  return isMailbox ? [{ ...leg, destination: recipient, isForwarded: false }, ...forwarded] : forwarded;
}

type Detail = {
  addressed_to?: string;
  forwarded_to?: string;
  smtp_code?: number | null;
  enhanced_code?: string | null;
  response?: string | null;
};
