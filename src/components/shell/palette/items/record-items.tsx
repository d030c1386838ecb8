import { formatAgo, formatDate } from '@/lib/format';
import type { AddressMatch } from '../../../directory/use-address-search';
import {
  IconAddressBook,
  IconArrowRight,
  IconAt,
  IconBook2,
  IconFilter,
  IconMail,
  IconUsers,
  IconWebhook,
  IconWorld,
} from '../../../icons/icons';
import { withDomain } from '../../with-domain';
import {
  type Admin,
  type Directory,
  type DocsSection,
  type Domain,
  ICON,
  MAX_PER_KIND,
  type Message,
  type Operation,
  type PaletteItem,
  type Webhook,
} from './item';
import { apart, byRank } from './match';
import type { messageFilter } from './message-filter';
import { addressActions, adminActions, type RecordAction, webhookActions } from './record-actions';

/** Key of the last result, which searches all messages. */
const SEARCH_KEY = 'search';

/** A record that was found, by the name that matched. */
type FoundRecord = { name: string; domain?: Domain; item: PaletteItem; actions: RecordAction[] };

/** Groups of records, those that match best first: of equally good ones, domains before mailboxes, aliases, webhooks and admins. */
export function recordItems(text: string, { addresses, domains, webhooks, admins }: Directory): FoundRecord[] {
  const [mailboxes, aliases] = apart(addresses, ({ kind }) => kind === 'mailbox');
  const ofAddress = (match: AddressMatch) => ({
    name: match.address,
    item: addressItem(match),
    actions: addressActions(match),
  });
  const ofDomain = (domain: Domain) => ({ name: domain.name, domain, item: domainItem(domain), actions: [] });
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
