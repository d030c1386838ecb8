import type { Role } from '@/lib/access/roles';
import { type ConsoleRoute, routesFor } from '@/lib/routes';
import { ROUTE_ICONS } from '../../navigation/navigation';
import { withDomain } from '../../with-domain';
import { type Domain, ICON, type PaletteItem } from './item';
import { apart, matches, rankOf } from './match';
import type { Named } from './named-domains';
import { domainItem } from './record-items';

const DOMAIN_PAGES = [
  { label: 'DNS', path: tabPath('dns'), keywords: 'records spf dmarc mx zone' },
  { label: 'DKIM', path: tabPath('dkim'), keywords: 'keys selector signature' },
  { label: 'Mailboxes', path: tabPath('mailboxes'), keywords: 'mailbox' },
  { label: 'Aliases', path: tabPath('aliases'), keywords: 'alias' },
  { label: 'Settings', path: tabPath('settings'), keywords: 'limits quota description' },
  { label: 'History', path: tabPath('history'), keywords: 'audit log changes restore' },
  { label: 'Reports', path: tabPath('dns&view=reports'), keywords: 'dmarc tls' },
];

/** The pages of the console and of the domains that the words name: the ones with exactly that name, and the others. */
export function pageItems(text: string, role: Role | undefined, named: Named[]): [PaletteItem[], PaletteItem[]] {
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

function tabPath(tab: string): (id: string) => string {
  return (id) => `/domains/${id}?tab=${tab}`;
}

function domainPageItem(domain: Domain, { label, path }: (typeof DOMAIN_PAGES)[number]): PaletteItem {
  const href = path(domain.id);
  const { label: name, hint: _, ...item } = domainItem(domain);
  return {
    ...item,
    key: href,
    group: 'Pages',
    label: (
      <>
        {name} {label}
      </>
    ),
    href,
  };
}

export function domainWithPages(domain: Domain): PaletteItem[] {
  return [domainItem(domain), ...DOMAIN_PAGES.map((page) => domainPageItem(domain, page))];
}
