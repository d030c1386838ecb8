import { formatAgo } from '@/lib/format';
import type { AddressMatch } from '../../../directory/use-address-search';
import {
  IconAddressBook,
  IconArrowRight,
  IconAt,
  IconMail,
  IconUsers,
  IconWebhook,
  IconWorld,
} from '../../../icons/icons';
import {
  type Admin,
  type Directory,
  type Domain,
  ICON,
  MAX_PER_KIND,
  type Message,
  type PaletteItem,
  type Webhook,
} from './item';
import { apart, byRank } from './match';

/** Key of the last result, which searches all messages. */
export const SEARCH_KEY = 'search';

/** Domains before mailboxes, aliases, webhooks and admins, among those that match equally well. */
export function recordItems(text: string, { addresses, domains, webhooks, admins }: Directory) {
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
  const others = [
    ...webhooks.map((webhook) => ({ name: nameOf(webhook, text), domain: undefined, item: webhookItem(webhook) })),
    ...admins.map((admin) => ({ name: admin.email, domain: undefined, item: adminItem(admin) })),
  ];
  return byRank(
    [...ofDomains, ...ofAddresses(mailboxes), ...ofAddresses(aliases), ...others],
    ({ name }) => name,
    text,
  );
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
