import type { Tx } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';
import type { AliasWarning } from './schema';

export type Finding = { code: AliasWarning['code']; destination: string | null };

/** Conditions that keep mail of the alias `a` from being delivered as configured. */
export const FINDINGS = Prisma.sql`
  SELECT 'shadowed_by_mailbox' AS code, NULL AS destination, 0 AS position
    FROM mailbox m WHERE m.domain_id = a.domain_id AND m.local_part = a.source_local_part AND m.active
   UNION ALL
  SELECT CASE WHEN NOT d.active THEN 'destination_domain_inactive'
              WHEN m.id IS NULL THEN 'destination_not_found'
              ELSE 'destination_inactive' END,
         target.address, target.position
    FROM unnest(a.destination_keys) WITH ORDINALITY AS target(address, position)
    JOIN "domain" d ON d.name = split_part(target.address, '@', 2)
    LEFT JOIN LATERAL (
      SELECT mailbox.id, mailbox.active FROM mailbox
       WHERE mailbox.domain_id = d.id
         AND mailbox.local_part IN (split_part(target.address, '@', 1),
                                    split_part(split_part(target.address, '@', 1), '+', 1))
       ORDER BY mailbox.active DESC LIMIT 1) m ON true
   WHERE NOT d.active OR m.active IS NOT TRUE`;

/** One query for a page of aliases. */
export async function findWarnings(db: Tx, aliasIds: readonly string[]): Promise<Map<string, AliasWarning[]>> {
  const warnings = new Map<string, AliasWarning[]>(aliasIds.map((id) => [id, []]));
  if (aliasIds.length === 0) return warnings;
  const found = await db.$queryRaw<(Finding & { id: string })[]>`/* prepared */
    SELECT a.id, finding.code, finding.destination
      FROM alias a CROSS JOIN LATERAL (${FINDINGS}) AS finding
     WHERE a.id = ANY(${[...aliasIds]}::uuid[])
     ORDER BY finding.position`;
  for (const { id, ...finding } of found) warnings.get(id)?.push(toWarning(finding));
  return warnings;
}

export function toWarning({ code, destination }: Finding): AliasWarning {
  return { code, message: MESSAGES[code](destination ?? ''), destination };
}

const MESSAGES: Record<AliasWarning['code'], (destination: string) => string> = {
  shadowed_by_mailbox: () => 'A mailbox has this address and receives its mail instead of the alias.',
  destination_not_found: (destination) => `${destination} has no mailbox, so it receives nothing.`,
  destination_inactive: (destination) => `The mailbox ${destination} is inactive, so it receives nothing.`,
  destination_domain_inactive: (destination) => `The domain of ${destination} is inactive, so it receives nothing.`,
};
