import { IconAddressBook, IconArrowRight, IconAt, IconPlus, IconWorld } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { hasRole, type Role } from '@/lib/roles';
import { routesFor } from '@/lib/routes';
import type { AddressMatch } from '../../directory/use-address-search';
import { ROUTE_ICONS } from '../navigation/navigation';

type PaletteGroup = 'Pages' | 'Addresses' | 'Domains' | 'Messages' | 'Actions';
export type PaletteItem = { group: PaletteGroup; label: ReactNode; hint?: string; href: string; icon: ReactNode };

type Found = {
  words: string;
  role: Role | undefined;
  addresses: AddressMatch[];
  domains: { id: string; name: string; active: boolean }[];
};

const ICON = { size: 16, stroke: 1.5, 'aria-hidden': true } as const;

/** The results for the words, or all pages and actions if there are none. */
export function paletteItems({ words, role, addresses, domains }: Found): PaletteItem[] {
  if (words === '') return [...pages(words, role), ...actions(words, role)];
  return [
    ...pages(words, role),
    ...addressItems(addresses),
    ...domainItems(domains, words.toLowerCase()),
    ...messageItems(words),
    ...actions(words, role),
  ];
}

function pages(words: string, role: Role | undefined): PaletteItem[] {
  return routesFor(role)
    .filter(({ label, keywords }) => matches(`${label} ${keywords}`, words))
    .map(({ label, href, icon }) => {
      const Icon = ROUTE_ICONS[icon];
      return { group: 'Pages', label, href, icon: <Icon {...ICON} /> };
    });
}

function addressItems(addresses: AddressMatch[]): PaletteItem[] {
  return addresses.map(({ kind, address, note, href }) => ({
    group: 'Addresses',
    label: <span className="mono">{address}</span>,
    hint: note,
    href,
    icon: kind === 'mailbox' ? <IconAddressBook {...ICON} /> : <IconAt {...ICON} />,
  }));
}

function domainItems(items: { id: string; name: string; active: boolean }[], words: string): PaletteItem[] {
  const isBeginning = ({ name }: { name: string }) => name.startsWith(words);
  const ranked = [...items.filter(isBeginning), ...items.filter((item) => !isBeginning(item))];
  return ranked.map(({ id, name, active }) => ({
    group: 'Domains',
    label: <span className="mono">{name}</span>,
    hint: active ? 'Domain' : 'Inactive domain',
    href: `/domains/${id}`,
    icon: <IconWorld {...ICON} />,
  }));
}

function messageItems(words: string): PaletteItem[] {
  return [
    {
      group: 'Messages',
      label: `Search messages for “${words}”`,
      href: `/messages?q=${encodeURIComponent(words)}`,
      icon: <IconArrowRight {...ICON} />,
    },
  ];
}

function actions(words: string, role: Role | undefined): PaletteItem[] {
  const all = [
    { label: 'New alias', href: '/aliases?new=true', minRole: 'domain_admin' },
    { label: 'New mailbox', href: '/mailboxes?new=true', minRole: 'domain_admin' },
    { label: 'New API key', href: '/api-keys?new=true', minRole: 'domain_admin' },
    { label: 'Add domain', href: '/domains?new=true', minRole: 'admin' },
  ] as const;
  return all
    .filter(({ label, minRole }) => matches(label, words) && role !== undefined && hasRole(role, minRole))
    .map(({ label, href }) => ({ group: 'Actions', label, href, icon: <IconPlus {...ICON} /> }));
}

function matches(text: string, words: string): boolean {
  const haystack = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}
