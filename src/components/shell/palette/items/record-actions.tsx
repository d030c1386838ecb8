import type { ReactNode } from 'react';
import { hasRole, type Role } from '@/lib/access/roles';
import type { AddressMatch } from '../../../directory/use-address-search';
import {
  IconArrowBackUp,
  IconBan,
  IconHistory,
  IconKey,
  IconMail,
  IconPlayerPlay,
  IconRefresh,
  IconShieldExclamation,
  IconWorld,
} from '../../../icons/icons';
import { type Admin, type ApiKey, type DeletedRecord, type Domain, ICON, type PaletteItem, type Webhook } from './item';
import type { Verb } from './named-record';

/** An action on a record that leads to the page or dialog where it is confirmed. */
export type RecordAction = { verb: Verb; minRole: Role; item: PaletteItem };

type Described = { verb: Verb; label: string; href: string; minRole?: Role };

const ICONS: Record<Verb, ReactNode> = {
  suspend: <IconBan {...ICON} />,
  unsuspend: <IconPlayerPlay {...ICON} />,
  misuse: <IconShieldExclamation {...ICON} />,
  history: <IconHistory {...ICON} />,
  messages: <IconMail {...ICON} />,
  replay: <IconRefresh {...ICON} />,
  restore: <IconArrowBackUp {...ICON} />,
  password: <IconKey {...ICON} />,
  dns: <IconWorld {...ICON} />,
  rotate: <IconKey {...ICON} />,
  revoke: <IconBan {...ICON} />,
};

export function addressActions({ kind, id, address, suspended }: AddressMatch): RecordAction[] {
  const messages = {
    verb: 'messages',
    label: `Messages of ${address}`,
    href: `/messages?q=${encodeURIComponent(address)}`,
  } as const;
  if (kind === 'alias') {
    return actions([messages, { verb: 'history', label: `History of ${address}`, href: `/aliases?history=${id}` }]);
  }
  const page = `/mailboxes/${id}`;
  return actions([
    suspended
      ? { verb: 'unsuspend', label: `Unsuspend ${address}`, href: `${page}?unsuspend=true`, minRole: 'admin' }
      : { verb: 'suspend', label: `Suspend ${address}`, href: `${page}?suspend=true`, minRole: 'admin' },
    { verb: 'password', label: `Set a new password for ${address}`, href: `${page}#password` },
    { verb: 'misuse', label: `Check ${address} for misuse`, href: `${page}/misuse` },
    messages,
    { verb: 'history', label: `History of ${address}`, href: `${page}?tab=history` },
  ]);
}

export function webhookActions({ id }: Webhook, name: string): RecordAction[] {
  const page = `/webhooks/${id}`;
  return actions([
    { verb: 'replay', label: `Replay abandoned deliveries of ${name}`, href: `${page}?replay=true`, minRole: 'admin' },
    { verb: 'rotate', label: `Rotate the secret of ${name}`, href: `${page}?tab=settings#secret`, minRole: 'admin' },
    { verb: 'history', label: `History of ${name}`, href: `${page}?tab=history`, minRole: 'admin' },
  ]);
}

export function domainActions({ id, name }: Domain): RecordAction[] {
  return actions([{ verb: 'dns', label: `Check the DNS of ${name}`, href: `/domains/${id}?tab=dns` }]);
}

export function keyActions({ id, name, key_prefix: prefix }: ApiKey): RecordAction[] {
  const page = `/api-keys?q=${encodeURIComponent(prefix)}`;
  return actions([
    { verb: 'messages', label: `Messages sent with ${name}`, href: `/messages?key=${id}` },
    { verb: 'revoke', label: `Revoke ${name}`, href: `${page}&revoke=${id}` },
    { verb: 'history', label: `History of ${name}`, href: `${page}&history=${id}` },
  ]);
}

export function adminActions({ id, email }: Admin): RecordAction[] {
  const href = `/admins/${id}?tab=history`;
  return actions([{ verb: 'history', label: `History of ${email}`, href, minRole: 'super_admin' }]);
}

export function restoreItem({ id, name }: DeletedRecord): PaletteItem {
  const href = `/deleted?q=${encodeURIComponent(name)}&restore=${id}`;
  return itemOf({ verb: 'restore', label: `Restore ${name}`, href });
}

export function permitted(all: RecordAction[], role: Role | undefined): RecordAction[] {
  return all.filter(({ minRole }) => role !== undefined && hasRole(role, minRole));
}

function actions(all: Described[]): RecordAction[] {
  return all.map((each) => ({ verb: each.verb, minRole: each.minRole ?? 'domain_admin', item: itemOf(each) }));
}

function itemOf({ verb, label, href }: Described): PaletteItem {
  return { key: href, group: 'Actions', label, href, icon: ICONS[verb] };
}
