import type { InboundMail } from '@/mail/inbound';
import { domainOf } from './header';

/** A mailbox that mail reached: its own domain, and the one whose address led there last. */
export type ReachedMailbox = { address: string; domainId: string; viaDomainId: string };

/** A domain whose mailboxes mail reached, and which addresses of the envelope led to them. */
export type ReachedDomain = ReachedMailbox & { name: string; rcptTo: string[] };

type Reaching = Pick<InboundMail, 'routes' | 'reachedBefore'>;

/** Each mailbox once, however many addresses led there; and none that was told of before. */
export function reachedMailboxes({ routes, reachedBefore = [] }: Reaching): ReachedMailbox[] {
  const mailboxes = new Map<string, ReachedMailbox>();
  for (const { domainId: viaDomainId, destinations } of routes) {
    for (const { address, domainId } of destinations) {
      const isNew = domainId !== null && !reachedBefore.includes(address);
      if (isNew) mailboxes.set(address, { address, domainId, viaDomainId });
    }
  }
  return [...mailboxes.values()];
}

/** Each domain with its first mailbox: one domain learns nothing of the recipients of another. */
export function reachedDomains(mail: Reaching): ReachedDomain[] {
  const domains = new Map<string, ReachedDomain>();
  const before = new Set(mail.reachedBefore?.map(domainOf));
  for (const mailbox of reachedMailboxes(mail)) {
    const { address, domainId } = mailbox;
    if (domains.has(domainId) || before.has(domainOf(address))) continue;
    const led = mail.routes.filter(({ destinations }) => destinations.some((to) => to.domainId === domainId));
    const rcptTo = [...new Set(led.map((route) => route.address))];
    domains.set(domainId, { ...mailbox, name: domainOf(address), rcptTo });
  }
  return [...domains.values()];
}
