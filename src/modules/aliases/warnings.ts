import type { Tx } from '@/server/db';
import type { AliasWarning } from './schema';

type Finding = { id: string; code: AliasWarning['code']; destination: string | null };

/** Finds conditions that keep mail from being delivered as configured, in one query for a page of aliases. */
export async function findWarnings(db: Tx, aliasIds: readonly string[]): Promise<Map<string, AliasWarning[]>> {
  const warnings = new Map<string, AliasWarning[]>(aliasIds.map((id) => [id, []]));
  if (aliasIds.length === 0) return warnings;
  const findings = await db.$queryRaw<Finding[]>`
    WITH listed AS (SELECT id, domain_id, source_local_part, destination_keys FROM alias WHERE id = ANY(${[...aliasIds]}::uuid[]))
    SELECT listed.id, 'shadowed_by_mailbox' AS code, NULL AS destination, 0 AS position
      FROM listed JOIN mailbox m
        ON m.domain_id = listed.domain_id AND m.local_part = listed.source_local_part AND m.active
    UNION ALL
    SELECT listed.id,
           CASE WHEN NOT d.active THEN 'destination_domain_inactive'
                WHEN m.id IS NULL THEN 'destination_not_found'
                ELSE 'destination_inactive' END,
           target.address, target.position
      FROM listed
      CROSS JOIN LATERAL unnest(listed.destination_keys) WITH ORDINALITY AS target(address, position)
      JOIN "domain" d ON d.name = split_part(target.address, '@', 2)
      LEFT JOIN LATERAL (
        SELECT mailbox.id, mailbox.active FROM mailbox
         WHERE mailbox.domain_id = d.id
           AND mailbox.local_part IN (split_part(target.address, '@', 1),
                                      split_part(split_part(target.address, '@', 1), '+', 1))
         ORDER BY mailbox.active DESC LIMIT 1) m ON true
     WHERE NOT d.active OR m.active IS NOT TRUE
     ORDER BY position`;
  for (const { id, code, destination } of findings) {
    warnings.get(id)?.push({ code, message: MESSAGES[code](destination ?? ''), destination });
  }
  return warnings;
}

const MESSAGES: Record<AliasWarning['code'], (destination: string) => string> = {
  shadowed_by_mailbox: () => 'A mailbox has this address and receives its mail instead of the alias.',
  destination_not_found: (destination) => `${destination} has no mailbox, so it receives nothing.`,
  destination_inactive: (destination) => `The mailbox ${destination} is inactive, so it receives nothing.`,
  destination_domain_inactive: (destination) => `The domain of ${destination} is inactive, so it receives nothing.`,
};
