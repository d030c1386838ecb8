import type { Tx } from '@/server/db';
import { domainOf } from '../../inbound/header';

export type Addressed = { recipient: string; addressedTo: string };

/** Ids of the managed domains among the given addresses, by domain name. */
export async function findDomainIds(db: Tx, addressed: readonly Addressed[]): Promise<Map<string, string>> {
  const addresses = addressed.flatMap(({ recipient, addressedTo }) => [recipient, addressedTo]);
  const names = new Set(addresses.map((address) => domainOf(address).toLowerCase()));
  if (names.size === 0) return new Map();
  const domains = await db.domain.findMany({ where: { name: { in: [...names] } }, select: { id: true, name: true } });
  return new Map(domains.map(({ id, name }) => [name, id]));
}
