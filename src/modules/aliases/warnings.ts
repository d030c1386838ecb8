import type { Tx } from '@/server/db';

type Finding = { id: string; address: string | null };

/**
 * Finds conditions that keep mail from being delivered as configured, in one query for a page of aliases.
 * The console relies on a destination's warning starting with its address.
 */
export async function findWarnings(db: Tx, aliasIds: readonly string[]): Promise<Map<string, string[]>> {
  const warnings = new Map<string, string[]>(aliasIds.map((id) => [id, []]));
  if (aliasIds.length === 0) return warnings;
  const findings = await db.$queryRaw<Finding[]>`
    WITH listed AS (SELECT id, domain_id, source_local_part, destination_keys FROM alias WHERE id = ANY(${[...aliasIds]}::uuid[]))
    SELECT listed.id, NULL AS address, 0 AS position
      FROM listed JOIN mailbox m
        ON m.domain_id = listed.domain_id AND m.local_part = listed.source_local_part AND m.active
    UNION ALL
    SELECT listed.id, target.address, target.position
      FROM listed
      CROSS JOIN LATERAL unnest(listed.destination_keys) WITH ORDINALITY AS target(address, position)
      JOIN "domain" d ON d.name = split_part(target.address, '@', 2)
      LEFT JOIN mailbox m ON m.domain_id = d.id AND m.local_part = split_part(target.address, '@', 1) AND m.active
     WHERE m.id IS NULL OR NOT d.active
     ORDER BY position`;
  for (const { id, address } of findings) {
    warnings
      .get(id)
      ?.push(
        address === null
          ? 'A mailbox has this address and receives its mail instead of the alias.'
          : `${address} has no active mailbox, so it receives nothing.`,
      );
  }
  return warnings;
}
