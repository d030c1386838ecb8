import { normalizeDomainName } from '@/lib/mail/address';
import { bounceAddress } from '@/modules/messages/service';
import { env } from '@/server/settings/env';
import type { Returns } from './message-row';

/**
 * The envelope sender of a message: its bounce address, or the sender's own address where nobody would get what comes back to a
 * bounce address (decision 15).
 */
export function envelopeSender(messageId: string, from: string, domainName: string, returns: Returns | null): string {
  const at = returns && bounceDomain(domainName, returns);
  return at ? bounceAddress(messageId, at) : from;
}

function bounceDomain(domainName: string, { isReceivingHere, mailHost }: Returns): string | null {
  const { smtpUrl, mailHost: publicName } = env();
  // The sandbox takes mail to all managed domains.
  if (!smtpUrl) return domainName;
  // A relay may accept only senders that it knows, such as single addresses.
  if (!mailHost || mailHost.hasRelay) return null;
  if (isReceivingHere) return domainName;
  // Without an SPF record of that name, mail that passes SPF by the domain in From would have none.
  if (!mailHost.isInSpf || (publicName && publicName !== mailHost.name)) return null;
  return normalizeDomainName(mailHost.name) === mailHost.name ? mailHost.name : null;
}
