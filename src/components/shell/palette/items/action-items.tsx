import { hasRole, type Role } from '@/lib/access/roles';
import { routesFor } from '@/lib/routes';
import { IconCommand, IconKey, IconPlus } from '../../../icons/icons';
import { withDomain } from '../../with-domain';
import { type Command, ICON, type PaletteItem } from './item';
import { byRank, matches } from './match';
import type { Named } from './named-domains';

/** Offered once they are asked for. */
const LINKS = [
  { label: 'Change time zone', href: '/account', minRole: 'domain_admin', keywords: 'timezone clock', hint: 'Account' },
  {
    label: 'Suspended mailboxes',
    href: '/mailboxes?show=suspended',
    minRole: 'domain_admin',
    keywords: 'hijacked blocked filter',
    hint: 'Mailboxes',
  },
  { label: 'Failing webhooks', href: '/webhooks?show=failing', minRole: 'admin', keywords: 'filter', hint: 'Webhooks' },
  { label: 'DNS problems', href: '/domains?show=broken', minRole: 'domain_admin', keywords: 'filter', hint: 'Domains' },
  {
    label: 'Domains without DMARC',
    href: '/domains?show=unprotected',
    minRole: 'domain_admin',
    keywords: 'missing filter',
    hint: 'Domains',
  },
] as const;

const ROTATE = { keywords: 'keys selector generate', minRole: 'admin' } as const;

export function actionItems(text: string, role: Role | undefined, commands: Command[], named: Named[]): PaletteItem[] {
  const isAllowed = ({ minRole }: { minRole: Role }) => role !== undefined && hasRole(role, minRole);
  const matching = <Action extends { label: string; keywords: string }>(all: readonly Action[]) =>
    byRank(
      all.filter(({ label, keywords }) => matches(`${label} ${keywords}`, text)),
      ({ label }) => label,
      text,
    );
  const group = 'Actions' as const;
  const made = matching(creations(role)).map(({ label, href }) => ({
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

/** The actions of the main buttons of pages. */
function creations(role: Role | undefined) {
  return routesFor(role).flatMap(({ href, create, minRole }) =>
    create && role && hasRole(role, create.minRole ?? minRole) ? [{ ...create, href: `${href}?${create.query}` }] : [],
  );
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
