import type { InboundMail } from '@/mail/inbound/port';
import { domainOf } from './header';

/** A mailbox that received the message; `viaDomainId` is the domain of the envelope address that delivers there. */
export type DeliveredMailbox = { address: string; domainId: string; viaDomainId: string };

/** A domain with mailboxes that received the message, and the envelope addresses that deliver to them. */
export type DeliveredDomain = DeliveredMailbox & { name: string; rcptTo: string[] };

type DeliveredMail = Pick<InboundMail, 'resolved' | 'reportedMailboxes'>;

/** The mailboxes that received the message, each once, without those reported earlier. */
export function deliveredMailboxes({
  resolved,
  reportedMailboxes: reachedBefore = [],
}: DeliveredMail): DeliveredMailbox[] {
  const mailboxes = new Map<string, DeliveredMailbox>();
  for (const { domainId: viaDomainId, destinations } of resolved) {
    for (const { address, domainId, reports } of destinations) {
      const isNew = domainId !== null && !reports && !reachedBefore.includes(address);
      if (isNew) mailboxes.set(address, { address, domainId, viaDomainId });
    }
  }
  return [...mailboxes.values()];
}

/** One entry per domain, with its first mailbox. No entry names recipients of another domain. */
export function deliveredDomains(mail: DeliveredMail): DeliveredDomain[] {
  const domains = new Map<string, DeliveredDomain>();
  const before = new Set(mail.reportedMailboxes?.map(domainOf));
  for (const mailbox of deliveredMailboxes(mail)) {
    const { address, domainId } = mailbox;
    if (domains.has(domainId) || before.has(domainOf(address))) continue;
    const delivering = mail.resolved.filter(({ destinations }) => destinations.some((to) => to.domainId === domainId));
    const rcptTo = [...new Set(delivering.map((route) => route.address))];
    domains.set(domainId, { ...mailbox, name: domainOf(address), rcptTo });
  }
  return [...domains.values()];
}
