import {
  IconAddressBook,
  IconArrowRight,
  IconAt,
  IconCommand,
  IconKey,
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
  currentDomain: Domain | undefined;
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

/** Offered once they are asked for. */
const LINKS = [
  { label: 'Change time zone', href: '/account', minRole: 'domain_admin', keywords: 'timezone clock', hint: 'Account' },
] as const;

const ROTATE = { keywords: 'keys selector generate', minRole: 'admin' } as const;

const DOMAIN_PAGES = [
  { label: 'DNS', path: tabPath('dns'), keywords: 'records spf dmarc mx zone' },
  { label: 'DKIM', path: tabPath('dkim'), keywords: 'keys selector signature' },
  { label: 'Mailboxes', path: tabPath('mailboxes'), keywords: 'mailbox' },
  { label: 'Aliases', path: tabPath('aliases'), keywords: 'alias' },
  { label: 'Settings', path: tabPath('settings'), keywords: 'limits quota description' },
  {
    label: 'Audit history',
    path: (id: string) => `/audit?resource=${encodeURIComponent(`domain:${id}`)}`,
    keywords: 'log changes',
  },
  { label: 'Reports', path: tabPath('dns&view=reports'), keywords: 'dmarc tls' },
];

const MAX_PER_KIND = 5;

/** The results for the words: what has exactly that name, what can be done, pages, and records by how well they match. */
export function paletteItems({ words, role, commands, messages, ...directory }: Found): PaletteItem[] {
  const text = words.toLowerCase();
  const named = namedDomains(text, directory);
  const actions = actionItems(text, role, commands, named);
  const [exactPages, otherPages] = pageItems(text, role, named);
  if (text === '') return [...exactPages, ...otherPages, ...actions];
  const [exactRecords, otherRecords] = apart(records(text, directory), ({ name }) => name === text);
  const best = [
    ...exactPages,
    ...exactRecords.flatMap(({ domain, item }) => (domain ? domainWithPages(domain) : item)),
  ];
  const all = [
    ...best.map((item) => ({ ...item, group: 'Best match' as const })),
    ...actions,
    ...otherPages,
    ...otherRecords.map(({ item }) => item),
    ...messages.map(messageItem),
    searchItem(words),
  ];
  return all.filter(({ key }, index) => all.findIndex((item) => item.key === key) === index);
}

type Named = { domain: Domain; rest: string };
type Directory = Pick<Found, 'addresses' | 'currentDomain' | 'domains'>;

/** What the words may ask for of a domain: all of them of the current one, and of others those beside the start of its name. */
function namedDomains(text: string, { currentDomain, domains }: Directory): Named[] {
  if (text === '') return [];
  const words = text.split(/\s+/);
  const named = domains.flatMap((domain) => [
    ...(domain.name.startsWith(words[0] ?? '') ? [{ domain, rest: words.slice(1).join(' ') }] : []),
    ...(domain.name.startsWith(words.at(-1) ?? '') ? [{ domain, rest: words.slice(0, -1).join(' ') }] : []),
  ]);
  return [
    ...(currentDomain ? [{ domain: currentDomain, rest: text }] : []),
    ...named.filter(({ rest }) => rest !== '').slice(0, MAX_PER_KIND),
  ];
}

function actionItems(text: string, role: Role | undefined, commands: Command[], named: Named[]): PaletteItem[] {
  const isAllowed = ({ minRole }: { minRole: Role }) => role !== undefined && hasRole(role, minRole);
  const matching = <Action extends { label: string; keywords: string }>(all: readonly Action[]) =>
    byRank(
      all.filter(({ label, keywords }) => matches(`${label} ${keywords}`, text)),
      ({ label }) => label,
      text,
    );
  const group = 'Actions' as const;
  const made = matching(NEW.filter(isAllowed)).map(({ label, href }) => ({
    ...{ key: href, group, label, href: withDomain(href) },
    icon: <IconPlus {...ICON} />,
  }));
  // Only once they are asked for.
  if (text === '') return made;
  const icon = <IconCommand {...ICON} />;
  const links = matching(LINKS.filter(isAllowed)).map(({ label, hint, href }) => ({
    ...{ key: label, group, label, hint, href: withDomain(href), icon },
  }));
  const done = matching(commands).map(({ label, run }) => ({ key: label, group, label, run, icon }));
  return [...made, ...(isAllowed(ROTATE) ? rotations(text, named) : []), ...links, ...done];
}

/** To rotate the key of each domain that the words name, or else to choose a domain. */
function rotations(text: string, named: Named[]): PaletteItem[] {
  const isMeant = (words: string) => matches(`rotate a dkim key ${ROTATE.keywords}`, words);
  const shared = { group: 'Actions' as const, icon: <IconKey {...ICON} /> };
  const ofDomains = named
    .filter(({ rest }) => isMeant(rest))
    .map(({ domain: { id, name } }) => ({
      ...shared,
      key: `${id} rotate`,
      label: `Rotate DKIM key of ${name}`,
      href: `/domains/${id}?tab=dkim&rotate=true`,
    }));
  if (ofDomains.length > 0 || !isMeant(text)) return ofDomains;
  return [{ ...shared, key: 'rotate', label: 'Rotate DKIM key', hint: 'Choose a domain', href: '/domains' }];
}

/** The pages of the console and of the domains that the words name: the ones with exactly that name, and the others. */
function pageItems(text: string, role: Role | undefined, named: Named[]): [PaletteItem[], PaletteItem[]] {
  const routes = routesFor(role).map((route) => ({ ...route, asked: text, item: pageItem(route) }));
  const ofDomains = named.flatMap(({ domain, rest }) =>
    DOMAIN_PAGES.map((page) => ({ ...page, asked: rest, item: domainPageItem(domain, page) })),
  );
  const found = [...routes, ...ofDomains]
    .filter(({ label, keywords, asked }) => matches(`${label} ${keywords}`, asked))
    .toSorted((one, other) => rankOf(one.label, one.asked) - rankOf(other.label, other.asked));
  const [exact, others] = apart(found, ({ label, asked }) => label.toLowerCase() === asked);
  return [exact.map(({ item }) => item), others.map(({ item }) => item)];
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

function tabPath(tab: string): (id: string) => string {
  return (id) => `/domains/${id}?tab=${tab}`;
}

function domainPageItem(domain: Domain, { label, path }: (typeof DOMAIN_PAGES)[number]): PaletteItem {
  const href = path(domain.id);
  return { ...domainItem(domain), key: href, group: 'Pages', hint: label, href };
}

function domainWithPages(domain: Domain): PaletteItem[] {
  return [domainItem(domain), ...DOMAIN_PAGES.map((page) => domainPageItem(domain, page))];
}

/** Domains before mailboxes before aliases, among those that match equally well. */
function records(text: string, { addresses, domains }: Directory) {
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
  return all.toSorted((one, other) => rankOf(nameOf(one), text) - rankOf(nameOf(other), text));
}

function rankOf(name: string, text: string): number {
  const lower = name.toLowerCase();
  if (lower.startsWith(text)) return 0;
  return lower.includes(text) ? 1 : 2;
}

function apart<Each>(all: Each[], isExact: (each: Each) => boolean): [Each[], Each[]] {
  return [all.filter(isExact), all.filter((each) => !isExact(each))];
}

function matches(text: string, words: string): boolean {
  const haystack = text.toLowerCase();
  return words.split(/\s+/).every((word) => haystack.includes(word));
}
