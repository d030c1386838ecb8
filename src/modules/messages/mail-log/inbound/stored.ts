import { groupCalls } from '@/server/background/group-calls';
import { database } from '@/server/db';
import type { Prisma } from '@/server/prisma/client';
import { domainOf } from '../../inbound/header';
import type { Addressed } from './own-domains';

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
  const stored = await findRow(queueId);
  if (!stored) throw new Error('no mail is stored under this queue id');
  return stored;
}

const findRow = groupCalls(async (queueIds: string[]) => {
  const rows = await database().loggedMail.findMany({ where: { queueId: { in: queueIds } }, ...STORED });
  const byId = new Map(rows.map((row) => [row.queueId, row]));
  return queueIds.map((queueId) => byId.get(queueId));
}, TOGETHER);

/** Whether a message row exists for inbound mail with the queue id. */
export const hasRows = groupCalls(async (queueIds: string[]) => {
  const rows = await database().message.findMany({
    where: { queueId: { in: queueIds }, direction: 'inbound' },
    select: { queueId: true },
  });
  const known = new Set(rows.map(({ queueId }) => queueId));
  return queueIds.map((queueId) => known.has(queueId));
}, TOGETHER);

/** Ids of the managed domains among the given addresses, by domain name. */
export async function findStoredDomainIds(addressed: readonly Addressed[]): Promise<Map<string, string>> {
  const addresses = addressed.flatMap(({ recipient, addressedTo }) => [recipient, addressedTo]);
  const names = [...new Set(addresses.map((address) => domainOf(address).toLowerCase()))];
  const ids = await Promise.all(names.map(findDomainId));
  return new Map(names.flatMap((name, index) => (ids[index] ? [[name, ids[index]] as const] : [])));
}

const findDomainId = groupCalls(
  async (names: string[]) => {
    const rows = await database().domain.findMany({ where: { name: { in: names } }, select: { id: true, name: true } });
    const byName = new Map(rows.map(({ id, name }) => [name, id]));
    return names.map((name) => byName.get(name));
  },
  { ...TOGETHER, maxItems: 1_000 },
);
