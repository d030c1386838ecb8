import type { DemoContext } from '../demo-context';
import type { DemoDomain } from '../directory/domains';
import { DAY_MS, inOfficeHours } from '../time';

/** Suppressed for the first domain before its first newsletter. */
export const UNSUBSCRIBED = 'joan.hale@example.net';
const FIRST_AGE_DAYS = 29;

const BY_HAND = [
  { email: UNSUBSCRIBED, reason: 'unsubscribe', detail: 'From the list of the former provider' },
  { email: 'm.okafor@example.org', reason: 'unsubscribe', detail: 'From the list of the former provider' },
  { email: 'office@quarrylane.example', reason: 'complaint', detail: 'From the list of the former provider' },
  { email: 'peter@example.com', reason: 'manual', detail: 'Asked by phone to get no reminders' },
  { email: 'billing@oldharbour.example', reason: 'manual', detail: 'Contract ended' },
] as const;

/** Adds the suppressions that bounces and, for the first domains, admins added, and an address that gets no mail of any domain. */
export async function seedSuppressions(
  { tx, now, random }: DemoContext,
  domains: readonly DemoDomain[],
  createdBy: string,
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO suppression (id, email, domain_id, reason, source_message_id, detail, created_at)
    SELECT DISTINCT ON (m.domain_id, r.address)
           gen_random_uuid(), r.address, m.domain_id, 'bounce', m.id, r.response, m.created_at + interval '2 seconds'
      FROM message_recipient r JOIN message m ON m.id = r.message_id
     WHERE m.direction = 'outbound' AND r.status = 'bounced' AND r.enhanced_code = '5.1.1' AND r.address NOT LIKE '%+%'
     ORDER BY m.domain_id, r.address, m.created_at`;
  await tx.$executeRaw`
    INSERT INTO suppression (id, email, domain_id, reason, list, source_message_id, detail, created_at)
    SELECT DISTINCT ON (m.domain_id, e.recipient, e.type)
           gen_random_uuid(), e.recipient, m.domain_id,
           (CASE e.type WHEN 'complained' THEN 'complaint' ELSE 'unsubscribe' END)::suppression_reason, e.detail->>'list', m.id,
           CASE e.type WHEN 'complained' THEN 'Reported as spam' ELSE 'Unsubscribed from ' || (e.detail->>'list') END, e.at
      FROM message_event e JOIN message m ON m.id = e.message_id
     WHERE e.type IN ('complained', 'unsubscribed') AND e.recipient NOT LIKE '%+%'
     ORDER BY m.domain_id, e.recipient, e.type, e.at`;
  const owned = BY_HAND.map((given, index) => ({ ...given, domainId: domains[index % 2]?.id ?? null }));
  const all = [
    ...owned,
    { email: 'legal@example.com', reason: 'manual', detail: 'Cease and desist letter', domainId: null },
  ] as const;
  await tx.suppression.createMany({
    data: all.map((given, index) => {
      const createdAt = inOfficeHours(random, now, (FIRST_AGE_DAYS - 3 * index) * DAY_MS);
      return { id: random.uuidAt(createdAt), ...given, createdBy, createdAt };
    }),
  });
}
