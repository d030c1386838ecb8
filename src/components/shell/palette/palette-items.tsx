import {
  IconAddressBook,
  IconArrowRight,
  IconAt,
  IconCommand,
  IconMail,
  IconPlus,
  IconWorld,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatAgo } from '@/lib/format';
import { hasRole, type Role } from '@/lib/roles';
import { type ConsoleRoute, routesFor } from '@/lib/routes';
import type { AddressMatch } from '../../directory/use-address-search';
import { ROUTE_ICONS } from '../navigation/navigation';
import { withDomain } from '../with-domain';

type PaletteGroup = 'Best match' | 'Actions' | 'Pages' | 'Domains and addresses' | 'Messages';
export type PaletteItem = {
  key: string;
  group: PaletteGroup;
  label: ReactNode;
  hint?: string;
  icon: ReactNode;
  /** Where it leads, or else what it does. */
  href?: string;
  run?: () => void;
};

/** What is done at once, such as "Sign out". */
export type Command = { label: string; keywords: string; run: () => void };

type Domain = { id: string; name: string; active: boolean };
type Message = { id: string; subject: string; from: string; to: string[]; created_at: string };

type Found = {
  words: string;
  role: Role | undefined;
  commands: Command[];
  addresses: AddressMatch[];
  domains: Domain[];
  messages: Message[];
};

/** Of the last result, which searches all messages. */
export const SEARCH_KEY = 'search';

const ICON = { size: 16, stroke: 1.5, 'aria-hidden': true } as const;

const NEW = [
  { label: 'New alias', href: '/aliases?new=true', minRole: 'domain_admin', keywords: 'forward add create' },
  { label: 'New mailbox', href: '/mailboxes?new=true', minRole: 'domain_admin', keywords: 'add create user account' },
  { label: 'New API key', href: '/api-keys?new=true', minRole: 'domain_admin', keywords: 'add create' },
  { label: 'New webhook', href: '/webhooks?new=true', minRole: 'admin', keywords: 'add create endpoint' },
  { label: 'Add domain', href: '/domains?new=true', minRole: 'admin', keywords: 'new create' },
  { label: 'Send test message', href: '/send?test=true', minRole: 'domain_admin', keywords: 'compose new write' },
] as const;

const DOMAIN_TABS = { dns: 'DNS', dkim: 'DKIM', mailboxes: 'Mailboxes', aliases: 'Aliases', settings: 'Settings' };

const MAX_PER_KIND = 5;

/** The results for the words: what has exactly that name, what can be done, pages, and records by how well they match. */
export function paletteItems({ words, role, commands, addresses, domains, messages }: Found): PaletteItem[] {
  const text = words.toLowerCase();
  const actions = actionItems(text, role, commands);
  const pages = byRank(routesFor(role), ({ label }) => label.toLowerCase(), text).filter(({ label, keywords }) =>
    matches(`${label} ${keywords}`, text),
  );
  if (text === '') return [...pages.map(pageItem), ...actions];
  const [exactRecords, otherRecords] = apart(records(text, addresses, domains), ({ name }) => name === text);
  const [exactPages, otherPages] = apart(pages, ({ label }) => label.toLowerCase() === text);
  const best = [
    ...exactPages.map(pageItem),
    ...exactRecords.flatMap(({ domain, item }) => (domain ? domainWithTabs(domain) : item)),
  ];
  return [
    ...best.map((item) => ({ ...item, group: 'Best match' as const })),
    ...actions,
    ...otherPages.map(pageItem),
    ...otherRecords.map(({ item }) => item),
    ...messages.map(messageItem),
    searchItem(words),
  ];
}

function actionItems(text: string, role: Role | undefined, commands: Command[]): PaletteItem[] {
  const allowed = NEW.filter(({ minRole }) => role !== undefined && hasRole(role, minRole));
  const matching = <Action extends { label: string; keywords: string }>(all: readonly Action[]) =>
    byRank(all, ({ label }) => label.toLowerCase(), text).filter(({ label, keywords }) =>
      matches(`${label} ${keywords}`, text),
    );
  const group = 'Actions' as const;
  const made = matching(allowed).map(({ label, href }) => ({
    ...{ key: href, group, label, href: withDomain(href) },
    icon: <IconPlus {...ICON} />,
  }));
  // Only once they are asked for.
  const done = (text === '' ? [] : matching(commands)).map(({ label, run }) => ({
    ...{ key: label, group, label, run },
    icon: <IconCommand {...ICON} />,
  }));
  return [...made, ...done];
}

function pageItem({ label, href, icon }: ConsoleRoute): PaletteItem {
  const Icon = ROUTE_ICONS[icon];
  return { key: href, group: 'Pages', label, href: withDomain(href), icon: <Icon {...ICON} /> };
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

function domainItem({ id, name, active }: Domain): PaletteItem {
  return {
    key: id,
    group: 'Domains and addresses',
    label: <span className="mono">{name}</span>,
    hint: active ? 'Domain' : 'Inactive domain',
    href: `/domains/${id}`,
    icon: <IconWorld {...ICON} />,
  };
}

function domainWithTabs(domain: Domain): PaletteItem[] {
  const tabs = Object.entries(DOMAIN_TABS).map(([tab, label]) => ({
    ...domainItem(domain),
    key: `${domain.id} ${tab}`,
    hint: label,
    href: `/domains/${domain.id}?tab=${tab}`,
  }));
  const history = {
    ...domainItem(domain),
    key: `${domain.id} history`,
    hint: 'Audit history',
    href: `/audit?resource=${encodeURIComponent(`domain:${domain.id}`)}`,
  };
  return [domainItem(domain), ...tabs, history];
}

/** Domains before mailboxes before aliases, among those that match equally well. */
function records(text: string, addresses: AddressMatch[], domains: Domain[]) {
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

function messageItem({ id, subject, from, to: [first], created_at: at }: Message): PaletteItem {
  return {
    key: id,
    group: 'Messages',
    label: subject || '(no subject)',
    hint: `${from} to ${first ?? 'nobody'}, ${formatAgo(at)}`,
    href: `/messages/${id}`,
    icon: <IconMail {...ICON} />,
  };
}

function searchItem(words: string): PaletteItem {
  const href = `/messages?q=${encodeURIComponent(words)}`;
  const label = `Search messages for “${words}”`;
  return { key: SEARCH_KEY, group: 'Messages', label, href, icon: <IconArrowRight {...ICON} /> };
}

/** Those whose name begins with the text first, then those that have it, then the others. */
function byRank<Each>(all: readonly Each[], nameOf: (each: Each) => string, text: string): Each[] {
  const rankOf = (each: Each) => (nameOf(each).startsWith(text) ? 0 : nameOf(each).includes(text) ? 1 : 2);
  return all.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function apart<Each>(all: Each[], isExact: (each: Each) => boolean): [Each[], Each[]] {
  return [all.filter(isExact), all.filter((each) => !isExact(each))];
}

function matches(text: string, words: string): boolean {
  const haystack = text.toLowerCase();
  return words.split(/\s+/).every((word) => haystack.includes(word));
}
