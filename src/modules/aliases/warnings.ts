import type { Tx } from '@/server/db';

type Finding = { id: string; address: string | null };

/** What the rows of a page do not say of themselves, in one query for all of them. */
export async function findWarnings(db: Tx, aliasIds: readonly string[]): Promise<Map<string, string[]>> {
  const warnings = new Map<string, string[]>(aliasIds.map((id) => [id, []]));
  if (aliasIds.length === 0) return warnings;
  const findings = await db.$queryRaw<Finding[]>`
    WITH listed AS (SELECT id, domain_id, source_local_part, destination_keys FROM alias WHERE id = ANY(${[...aliasIds]}::uuid[]))
    SELECT listed.id, NULL AS address, 0 AS place
      FROM listed JOIN mailbox m
        ON m.domain_id = listed.domain_id AND m.local_part = listed.source_local_part AND m.active
    UNION ALL
    SELECT listed.id, leads.address, leads.place
      FROM listed
      CROSS JOIN LATERAL unnest(listed.destination_keys) WITH ORDINALITY AS leads(address, place)
      JOIN "domain" d ON d.name = split_part(leads.address, '@', 2)
      LEFT JOIN mailbox m ON m.domain_id = d.id AND m.local_part = split_part(leads.address, '@', 1) AND m.active
     WHERE m.id IS NULL OR NOT d.active
     ORDER BY place`;
  for (const { id, address } of findings) {
    warnings
      .get(id)
      ?.push(
        address === null
          ? 'A mailbox has this address, and mail goes there instead.'
          : `${address} has no active mailbox here, and gets nothing.`,
      );
  }
  return warnings;
}
