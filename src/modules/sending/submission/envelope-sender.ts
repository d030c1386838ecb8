import { normalizeDomainName, parseAddress } from '@/lib/mail/address';
import { bounceAddress } from '@/modules/messages/service';
import type { Tx } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';
import { env } from '@/server/settings/env';

/** Where mail about messages of a domain can come back to. */
export type Returns = {
  /** Whether the domain's MX record was this server's when its DNS was last checked. */
  isReceivingHere: boolean;
  /**
   * The mail server whose agent reported last. It has a relay also while that is unknown. `isInSpf`: its name had an SPF record that
   * lets it send, when the domain's DNS was last checked.
   */
  mailHost: { name: string; hasRelay: boolean; isInSpf: boolean } | null;
};

/** `isReceivingHere` of {@link Returns}, in a statement that has the domain as `d`. */
export const IS_RECEIVING_HERE = Prisma.sql`
  EXISTS (SELECT FROM dns_record r
           WHERE r.domain_id = d.id AND r.type = 'MX' AND r.name = d.name AND r.purpose = 'mx' AND r.status = 'ok')`;

/** `mailHost` of {@link Returns}, by an expression for the domain's id. */
export const mailHostFor = (domainId: Prisma.Sql) => Prisma.sql`
  (SELECT jsonb_build_object(
            'name', a.host, 'hasRelay', NOT a.relay_known OR coalesce(a.relay->>'destination' !~ '^[[]?127[.]', false),
            'isInSpf', EXISTS (SELECT FROM dns_record r
                                WHERE r.domain_id = ${domainId} AND r.type = 'TXT' AND r.name = a.host AND r.purpose = 'host_spf'
                                  AND r.status = 'ok'))
     FROM mail_agent a ORDER BY a.beat_at DESC LIMIT 1)`;

/**
 * The envelope sender of a message of the app: its bounce address, or the sender's own address where nobody would get what comes back
 * to a bounce address (decision 15).
 */
export function envelopeSender(messageId: string, from: string, domainName: string, returns: Returns | null): string {
  // The sandbox takes mail to all managed domains.
  const at = returns && (env().smtpUrl ? bounceDomain(domainName, returns) : domainName);
  return at ? bounceAddress(messageId, at) : from;
}

/** The bounce address of a message that was submitted to the mail server by SMTP, or null if it keeps its envelope sender. */
export async function submittedSender(db: Tx, messageId: string, sender: string): Promise<string | null> {
  if (!env().submissionBounceAddresses) return null;
  const [found] = await db.$queryRaw<(Returns & { name: string })[]>`
    SELECT d.name, ${IS_RECEIVING_HERE} AS "isReceivingHere", ${mailHostFor(Prisma.sql`d.id`)} AS "mailHost"
      FROM domain d WHERE d.name = ${parseAddress(sender)?.domain ?? ''}`;
  const at = found ? bounceDomain(found.name, found) : null;
  return at && bounceAddress(messageId, at);
}

function bounceDomain(domainName: string, { isReceivingHere, mailHost }: Returns): string | null {
  const publicName = env().mailHost;
  // A relay may accept only senders that it knows, such as single addresses.
  if (!mailHost || mailHost.hasRelay) return null;
  if (isReceivingHere) return domainName;
  // Without an SPF record of that name, mail that passes SPF by the domain in From would have none.
  if (!mailHost.isInSpf || (publicName && publicName !== mailHost.name)) return null;
  return normalizeDomainName(mailHost.name) === mailHost.name ? mailHost.name : null;
}
