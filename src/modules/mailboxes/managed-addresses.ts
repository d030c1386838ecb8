import { accessibleDomainIds } from '@/server/access/authorize';
import type { ActorContext } from '@/server/procedures/context';

export type ManagedAddress = {
  domainId: string;
  /** Null if no mailbox has the address. */
  mailboxId: string | null;
};

/** Those of the addresses whose domain is managed here and in the caller's domain scope. */
export async function findManagedAddresses(
  ctx: ActorContext,
  addresses: readonly string[],
): Promise<Map<string, ManagedAddress>> {
  const unique = [...new Set(addresses)].filter((address) => address.includes('@'));
  const locals = unique.map((address) => address.slice(0, address.lastIndexOf('@')).toLowerCase());
  const domains = unique.map((address) => address.slice(address.lastIndexOf('@') + 1).toLowerCase());
  const domainIds = accessibleDomainIds(ctx.actor);
  const rows = await ctx.db.$queryRaw<(ManagedAddress & { address: string })[]>`/* prepared */
    SELECT a.address, d.id AS "domainId", m.id AS "mailboxId"
      FROM unnest(${unique}::text[], ${locals}::text[], ${domains}::text[]) AS a (address, local_part, domain)
      JOIN domain d ON d.name = a.domain
      LEFT JOIN mailbox m ON m.domain_id = d.id AND m.local_part = a.local_part
     WHERE ${domainIds}::uuid[] IS NULL OR d.id = ANY (${domainIds}::uuid[])`;
  return new Map(rows.map(({ address, domainId, mailboxId }) => [address, { domainId, mailboxId }]));
}
