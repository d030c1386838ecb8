import type { ReactNode } from 'react';
import type { AddressMatch } from '../../../directory/use-address-search';

type PaletteGroup =
  | 'Best match'
  | 'Message filters'
  | 'Actions'
  | 'Pages'
  | 'Domains'
  | 'Mailboxes'
  | 'Aliases'
  | 'Webhooks'
  | 'API keys'
  | 'Filters'
  | 'Templates'
  | 'Suppressions'
  | 'Admins'
  | 'Messages'
  | 'API reference'
  | 'Documentation';
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

/** An action that is performed immediately, such as "Sign out". */
export type Command = { label: string; keywords: string; run: () => void };

export type Domain = { id: string; name: string; active: boolean };
export type Message = { id: string; subject: string; from: string; to: string[]; created_at: string };

export type Webhook = { id: string; name: string; url: string; active: boolean };
export type ApiKey = { id: string; name: string; key_prefix: string };
export type Filter = { id: string; name: string };
export type Template = { id: string; name: string };
export type Suppression = { id: string; email: string; domain: string | null };
export type Admin = { id: string; email: string };
export type DeletedRecord = { id: string; name: string };
/** A section of the documentation, or a chapter if it has no `id`. */
export type DocsSection = { chapter: string; title: string; heading: string; id: string };

export type Operation = { method: string; path: string; summary: string; href: string };

export type Directory = {
  addresses: AddressMatch[];
  currentDomain: Domain | undefined;
  domains: Domain[];
  webhooks: Webhook[];
  admins: Admin[];
  apiKeys: ApiKey[];
  filters: Filter[];
  templates: Template[];
  suppressions: Suppression[];
};

export const MAX_PER_KIND = 5;

export const ICON = { size: 16, stroke: 1.5 } as const;
