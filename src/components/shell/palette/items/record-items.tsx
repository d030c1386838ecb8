import { formatAgo, formatDate } from '@/lib/format';
import type { AddressMatch } from '../../../directory/use-address-search';
import {
  IconAddressBook,
  IconArrowRight,
  IconAt,
  IconBan,
  IconBook2,
  IconFilter,
  IconKey,
  IconMail,
  IconTemplate,
  IconUsers,
  IconWebhook,
  IconWorld,
} from '../../../icons/icons';
import { withDomain } from '../../with-domain';
import {
  type Admin,
  type ApiKey,
  type Directory,
  type DocsSection,
  type Domain,
  type Filter,
  ICON,
  MAX_PER_KIND,
  type Message,
  type Operation,
  type PaletteItem,
  type Suppression,
  type Template,
  type Webhook,
} from './item';
import { apart, byRank } from './match';
import type { messageFilter } from './message-filter';
import {
  addressActions,
  adminActions,
  domainActions,
  keyActions,
  type RecordAction,
  webhookActions,
} from './record-actions';

/** Key of the last result, which searches all messages. */
const SEARCH_KEY = 'search';

/** A record that was found, by the name that matched. */
type FoundRecord = { name: string; domain?: Domain; item: PaletteItem; actions: RecordAction[] };

/** Groups of records, those that match best first: of equally good ones, in the order below. */
export function recordItems(text: string, directory: Directory): FoundRecord[] {
  const { addresses, domains, webhooks, admins, apiKeys, filters, templates, suppressions } = directory;
  const [mailboxes, aliases] = apart(addresses, ({ kind }) => kind === 'mailbox');
  const ofAddress = (match: AddressMatch) => ({
    name: match.address,
    item: addressItem(match),
    actions: addressActions(match),
  });
  const ofDomain = (domain: Domain) => ({
    name: domain.name,
    domain,
    item: domainItem(domain),
    actions: domainActions(domain),
  });
  const ofWebhook = (webhook: Webhook) => ({
    name: nameOf(webhook, text),
    item: webhookItem(webhook),
    actions: webhookActions(webhook, webhook.name || withoutScheme(webhook.url)),
  });
  const ofAdmin = (admin: Admin) => ({ name: admin.email, item: adminItem(admin), actions: adminActions(admin) });
  const kinds: FoundRecord[][] = [
    domains.filter(({ name }) => name.includes(text)).map(ofDomain),
    mailboxes.map(ofAddress),
    aliases.map(ofAddress),
    webhooks.map(ofWebhook),
    admins.map(ofAdmin),
    apiKeys.map((key) => ({ name: key.name, item: keyItem(key), actions: keyActions(key) })),
    filters.map((filter) => ({ name: filter.name, item: sieveFilterItem(filter), actions: [] })),
    templates.map((template) => ({ name: template.name, item: templateItem(template), actions: [] })),
    suppressions.map((each) => ({ name: each.email, item: suppressionItem(each), actions: [] })),
  ].map((kind) => byRank<FoundRecord>(kind, ({ name }) => name, text).slice(0, MAX_PER_KIND));
  return byRank(kinds, ([best]) => best?.name ?? '', text).flat();
}

/** Returns the name or the URL, whichever matches. */
function nameOf({ name, url }: Webhook, text: string): string {
  return name.toLowerCase().includes(text) ? name : withoutScheme(url);
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '');
}

function webhookItem({ id, name, url, active }: Webhook): PaletteItem {
  const kind = active ? 'Webhook' : 'Inactive webhook';
  return {
    key: `webhook ${id}`,
    group: 'Webhooks',
    label: name || <span className="mono">{withoutScheme(url)}</span>,
    hint: name ? `${kind}, ${new URL(url).host}` : kind,
    href: `/webhooks/${id}`,
    icon: <IconWebhook {...ICON} />,
  };
}

function adminItem({ id, email }: Admin): PaletteItem {
  return {
    key: `admin ${id}`,
    group: 'Admins',
    label: <span className="mono">{email}</span>,
    hint: 'Admin',
    href: `/admins/${id}`,
    icon: <IconUsers {...ICON} />,
  };
}

function keyItem({ id, name, key_prefix: prefix }: ApiKey): PaletteItem {
  return {
    key: `key ${id}`,
    group: 'API keys',
    label: name,
    hint: `API key, ${prefix}`,
    href: `/api-keys?q=${encodeURIComponent(prefix)}`,
    icon: <IconKey {...ICON} />,
  };
}

function sieveFilterItem({ id, name }: Filter): PaletteItem {
  const [href, icon] = [`/sieve-filters/${id}`, <IconFilter key="icon" {...ICON} />];
  return { key: `filter ${id}`, group: 'Filters', label: name, hint: 'Filter', href, icon };
}

function templateItem({ id, name }: Template): PaletteItem {
  const [href, icon] = [`/templates/${id}`, <IconTemplate key="icon" {...ICON} />];
  return { key: `template ${id}`, group: 'Templates', label: name, hint: 'Template', href, icon };
}

function suppressionItem({ id, email, domain }: Suppression): PaletteItem {
  return {
    key: `suppression ${id}`,
    group: 'Suppressions',
    label: <span className="mono">{email}</span>,
    hint: `Suppressed, ${domain ?? 'all domains'}`,
    href: `/suppressions?q=${encodeURIComponent(email)}`,
    icon: <IconBan {...ICON} />,
  };
}

function addressItem({ kind, address, note, href }: AddressMatch): PaletteItem {
  return {
    key: `${kind} ${address}`,
    group: kind === 'mailbox' ? 'Mailboxes' : 'Aliases',
    label: <span className="mono">{address}</span>,
    hint: note,
    href,
    icon: kind === 'mailbox' ? <IconAddressBook {...ICON} /> : <IconAt {...ICON} />,
  };
}

export function domainItem({ id, name, active }: Domain): PaletteItem {
  return {
    key: id,
    group: 'Domains',
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

export function filterItem({ label, href, days }: NonNullable<ReturnType<typeof messageFilter>>): PaletteItem {
  const [first, last] = days?.map((day) => formatDate(day)) ?? [];
  return {
    key: href,
    group: 'Message filters',
    label,
    hint: first === last ? first : `${first} to ${last}`,
    href: withDomain(href),
    icon: <IconFilter {...ICON} />,
  };
}

export function operationItem({ method, path, summary, href }: Operation): PaletteItem {
  const icon = <IconBook2 {...ICON} />;
  return { key: href, group: 'API reference', label: summary, hint: `${method} ${path}`, href, icon };
}

export function docsItem({ chapter, title, heading, id }: DocsSection): PaletteItem {
  const href = id ? `/docs/${chapter}#${id}` : `/docs/${chapter}`;
  return {
    key: href,
    group: 'Documentation',
    label: heading,
    hint: id ? title : 'Chapter',
    href,
    icon: <IconBook2 {...ICON} />,
  };
}
