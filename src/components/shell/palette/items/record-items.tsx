import { IconAddressBook, IconArrowRight, IconAt, IconMail, IconWorld } from '@tabler/icons-react';
import { formatAgo } from '@/lib/format';
import type { AddressMatch } from '../../../directory/use-address-search';
import { type Directory, type Domain, ICON, MAX_PER_KIND, type Message, type PaletteItem } from './item';
import { apart, byRank } from './match';

/** Of the last result, which searches all messages. */
export const SEARCH_KEY = 'search';

/** Domains before mailboxes before aliases, among those that match equally well. */
export function recordItems(text: string, { addresses, domains }: Directory) {
  const [mailboxes, aliases] = apart(addresses, ({ kind }) => kind === 'mailbox');
  const ofAddresses = (all: AddressMatch[]) =>
    byRank(all, ({ address }) => address, text)
      .slice(0, MAX_PER_KIND)
      .map((match) => ({ name: match.address, domain: undefined, item: addressItem(match) }));
  const ofDomains = byRank(
    domains.filter(({ name }) => name.includes(text)),
    ({ name }) => name,
    text,
  )
    .slice(0, MAX_PER_KIND)
    .map((domain) => ({ name: domain.name, domain, item: domainItem(domain) }));
  return byRank([...ofDomains, ...ofAddresses(mailboxes), ...ofAddresses(aliases)], ({ name }) => name, text);
}

function addressItem({ kind, address, note, href }: AddressMatch): PaletteItem {
  return {
    key: `${kind} ${address}`,
    group: 'Domains and addresses',
    label: <span className="mono">{address}</span>,
    hint: note,
    href,
    icon: kind === 'mailbox' ? <IconAddressBook {...ICON} /> : <IconAt {...ICON} />,
  };
}

export function domainItem({ id, name, active }: Domain): PaletteItem {
  return {
    key: id,
    group: 'Domains and addresses',
    label: <span className="mono">{name}</span>,
    hint: active ? 'Domain' : 'Inactive domain',
    href: `/domains/${id}`,
    icon: <IconWorld {...ICON} />,
  };
}

export function messageItem({ id, subject, from, to: [first], created_at: at }: Message): PaletteItem {
  return {
    key: id,
    group: 'Messages',
    label: subject || '(no subject)',
    hint: `${from} to ${first ?? 'nobody'}, ${formatAgo(at)}`,
    href: `/messages/${id}`,
    icon: <IconMail {...ICON} />,
  };
}

export function searchItem(words: string): PaletteItem {
  const href = `/messages?q=${encodeURIComponent(words)}`;
  const label = `Search messages for “${words}”`;
  return { key: SEARCH_KEY, group: 'Messages', label, href, icon: <IconArrowRight {...ICON} /> };
}
