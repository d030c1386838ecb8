import { hasRole, type Role } from '@/lib/access/roles';
import { IconCommand, IconKey, IconPlus } from '../../../icons/icons';
import { withDomain } from '../../with-domain';
import { type Command, ICON, type PaletteItem } from './item';
import { byRank, matches } from './match';
import type { Named } from './named-domains';

const NEW = [
  { label: 'New alias', href: '/aliases?new=true', minRole: 'domain_admin', keywords: 'forward add create' },
  { label: 'New mailbox', href: '/mailboxes?new=true', minRole: 'domain_admin', keywords: 'add create user account' },
  {
    label: 'Suppress address',
    href: '/suppressions?new=true',
    minRole: 'domain_admin',
    keywords: 'block recipient add',
  },
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

export function actionItems(text: string, role: Role | undefined, commands: Command[], named: Named[]): PaletteItem[] {
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
