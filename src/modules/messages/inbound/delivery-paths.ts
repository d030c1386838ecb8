import type { OutcomeCause } from '@/lib/mail/outcomes';
import type { Tx } from '@/server/database/db';
import type { Prisma } from '@/server/prisma/client';
import type { InboundRoute, MessageEvent, MessageStatus } from '../schema';

type PathStatus = Extract<MessageStatus, 'received' | 'deferred' | 'bounced' | 'failed'>;
type Reply = {
  cause: OutcomeCause | null;
  smtpCode: number | null;
  enhancedCode: string | null;
  response: string | null;
};

/** One way from an envelope address to a mailbox or an external address, with the delivery status there. */
export type DeliveryPath = {
  address: string;
  destination: string;
  route: Exclude<InboundRoute, 'filter'>;
  status: PathStatus;
  reply: Reply;
};

/** The delivery paths in the trace of an inbound message, or of one recipient, each with its latest status. */
export async function findDeliveryPaths(tx: Tx, messageId: string, recipient?: string): Promise<DeliveryPath[]> {
  const events = await tx.messageEvent.findMany({
    where: { messageId, recipient, type: { in: ['received', 'forwarded', 'deferred', 'bounced', 'failed'] } },
    select: { type: true, recipient: true, detail: true },
    orderBy: { id: 'asc' },
  });
  const paths = new Map<string, DeliveryPath>();
  for (const path of events.flatMap(pathsIn)) {
    const key = `${path.address} ${path.destination}`;
    const known = paths.get(key);
    if (!known || FINALITY[path.status] > FINALITY[known.status]) paths.set(key, path);
  }
  return [...paths.values()];
}

const FINALITY: Record<PathStatus, number> = { deferred: 0, failed: 1, bounced: 2, received: 3 };

/**
 * Updates the statuses of an inbound message and its addresses from the trace. An address is `deferred` while any of its
 * paths is, else `bounced` or `failed` if any is, and `received` if all are. The same rule derives the message's status.
 */
export async function updateInboundStatus(tx: Tx, messageId: string): Promise<void> {
  const paths = await findDeliveryPaths(tx, messageId);
  const recipients = await tx.messageRecipient.findMany({ where: { messageId } });
  const statuses: PathStatus[] = [];
  for (const { id, address, ...known } of recipients) {
    const own = paths.filter((path) => path.address === address);
    if (own.length === 0) continue;
    const { status, route, reply } = worstOf(own);
    statuses.push(status);
    const isSame = known.status === status && known.route === route && known.cause === reply.cause;
    if (isSame && known.response === reply.response) continue;
    await tx.messageRecipient.update({ where: { id }, data: { status, route, ...reply }, select: { id: true } });
  }
  const status = WORST_FIRST.find((candidate) => statuses.includes(candidate));
  if (status) await tx.message.updateMany({ where: { id: messageId, status: { not: status } }, data: { status } });
}

const WORST_FIRST = ['deferred', 'bounced', 'failed', 'received'] as const;
const NO_REPLY: Reply = { cause: null, smtpCode: null, enhancedCode: null, response: null };

function worstOf(paths: DeliveryPath[]): Pick<DeliveryPath, 'status' | 'route' | 'reply'> {
  const worst = WORST_FIRST.map((status) => paths.find((path) => path.status === status)).find(Boolean);
  if (worst && worst.status !== 'received') return worst;
  const route = (['mailbox', 'reports'] as const).find((candidate) => paths.some((path) => path.route === candidate));
  return { status: 'received', route: route ?? 'forwarded', reply: NO_REPLY };
}

type TraceEvent = Pick<Prisma.MessageEventGetPayload<object>, 'type' | 'recipient' | 'detail'>;

function pathsIn({ type, recipient, detail }: TraceEvent): DeliveryPath[] {
  const { addressed_to: addressedTo, forwarded_to: forwardedTo = [], ...answer } = detail as MessageEvent['detail'];
  if (recipient === null) return [];
  const status = type === 'forwarded' ? 'received' : (type as PathStatus);
  const reply = {
    cause: answer.cause ?? null,
    smtpCode: answer.smtp_code ?? null,
    enhancedCode: answer.enhanced_code ?? null,
    response: answer.response ?? null,
  };
  const path = { address: addressedTo ?? recipient, status, reply };
  const forwarded = forwardedTo.map((destination) => ({ ...path, destination, route: 'forwarded' as const }));
  const isHere = answer.route === 'mailbox' || answer.route === 'reports';
  return isHere
    ? [{ ...path, destination: recipient, route: answer.route as 'mailbox' | 'reports' }, ...forwarded]
    : forwarded;
}
