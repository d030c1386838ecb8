import { groupCalls, groupLookups } from '@/server/background/group-calls';
import { database } from '@/server/db';
import type { Prisma } from '@/server/prisma/client';
import { type Addressed, findDomainIds } from './own-domains';

const STORED = { include: { deliveries: { orderBy: [{ at: 'asc' }, { recipient: 'asc' }] } } } satisfies {
  include: Prisma.LoggedMailInclude;
};
/** What log and filter showed of a message. */
export type Stored = Prisma.LoggedMailGetPayload<typeof STORED>;
export type Delivery = Stored['deliveries'][number];

// Messages that are reported at the same time share the statements below.
const TOGETHER = { maxRunning: 1, maxItems: 25 };

/** @throws if nothing is stored */
export async function findStored(queueId: string): Promise<Stored> {
  const stored = await findLogged(queueId);
  if (!stored) throw new Error('no mail is stored under this queue id');
  return stored;
}

const findLogged = groupLookups(async (queueIds: string[]) => {
  const rows = await database().loggedMail.findMany({ where: { queueId: { in: queueIds } }, ...STORED });
  return new Map(rows.map((row) => [row.queueId, row]));
}, TOGETHER);

/** The rows of inbound mail with the queue id, each with its recipients that are recorded as spam. */
export const findRows = groupLookups(async (queueIds: string[]) => {
  const rows = await database().message.findMany({
    where: { queueId: { in: queueIds }, direction: 'inbound' },
    select: { id: true, queueId: true, recipients: { where: { status: 'spam' }, select: { address: true } } },
  });
  return new Map(queueIds.map((id) => [id, rows.filter(({ queueId }) => queueId === id)]));
}, TOGETHER);

/** Ids of managed domains by name: those among the given addresses, and perhaps others. */
export const findDomainIdsTogether = groupCalls(async (calls: (readonly Addressed[])[]) => {
  const ids = await findDomainIds(database(), calls.flat());
  return calls.map(() => ids);
}, TOGETHER);
