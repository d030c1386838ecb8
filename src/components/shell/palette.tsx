'use client';

import { ActionIcon, Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAddressBook, IconArrowRight, IconAt, IconPlus, IconSearch, IconWorld, IconX } from '@tabler/icons-react';
import { useRouter } from 'next/navigation';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { hasRole, type Role } from '@/lib/roles';
import { routesFor } from '@/lib/routes';
import { trpc } from '../api/trpc';
import { confirmLeave } from '../dialogs/navigation-guard';
import { type AddressMatch, useAddressSearch } from '../directory/use-address-search';
import { ROUTE_ICONS } from './navigation';

type PaletteItem = { group: string; label: ReactNode; hint?: string; href: string; icon: ReactNode };
type PaletteProps = { onClose: () => void; role: Role | undefined };

const ICON = { size: 16, stroke: 1.5, 'aria-hidden': true } as const;

export function Palette({ onClose, role }: PaletteProps) {
  const router = useRouter();
  const listId = useId();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const words = query.trim();
  const [q] = useDebouncedValue(words, 150);
  const domains = trpc.domains.list.useQuery({ q, limit: 6, sort: 'name', order: 'asc' }, { enabled: q !== '' });
  const addresses = useAddressSearch(q);
  const items = [
    ...pages(words, role),
    ...(words ? addressItems(addresses) : []),
    ...(words ? domainItems(domains.data?.items ?? [], words.toLowerCase()) : []),
    ...(words ? messageItems(words) : []),
    ...actions(words, role),
  ];
  const selected = Math.min(at, items.length - 1);

  const open = (find: PaletteItem | undefined, inNewTab: boolean) => {
    if (!find) return;
    onClose();
    if (inNewTab) window.open(find.href, '_blank', 'noopener');
    else confirmLeave(() => router.push(find.href));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const next = (selected + step + items.length) % items.length;
      setAt(next);
      document.getElementById(`${listId}-${next}`)?.scrollIntoView({ block: 'nearest' });
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      open(items[selected], event.ctrlKey || event.metaKey);
    }
  };

  return (
    <Modal
      opened
      onClose={onClose}
      size={640}
      yOffset={72}
      withCloseButton={false}
      aria-label="Search"
      className="palette"
    >
      <div className="palette-search">
        <IconSearch {...ICON} />
        <input
          role="combobox"
          aria-label="Search pages, addresses, domains and messages"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={items.length > 0 ? `${listId}-${selected}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder="Search pages, addresses, domains and messages"
          data-autofocus
          value={query}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            setAt(0);
          }}
        />
        <ActionIcon className="only-small" aria-label="Close" onClick={onClose}>
          <IconX {...ICON} />
        </ActionIcon>
      </div>
      <div id={listId} role="listbox" aria-label="Results" className="palette-list">
        {items.map((find, index) => (
          <div key={find.href} role="presentation">
            {find.group !== items[index - 1]?.group && (
              <p className="palette-group" role="presentation">
                {find.group}
              </p>
            )}
            <div
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === selected}
              className="palette-item"
              onMouseMove={() => setAt(index)}
              onMouseDown={(event) => event.preventDefault()}
              onClick={(event) => open(find, event.ctrlKey || event.metaKey)}
              onKeyDown={onKeyDown}
            >
              {find.icon}
              <span className="palette-item-label">{find.label}</span>
              <span className="palette-item-hint">
                {find.hint}
                {index === selected && <kbd>Enter</kbd>}
              </span>
            </div>
          </div>
        ))}
      </div>
      <p className="palette-footer">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> select
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>Ctrl Enter</kbd> in a new tab
        </span>
        <span className="spacer">
          <kbd>Esc</kbd> close
        </span>
      </p>
    </Modal>
  );
}

function pages(words: string, role: Role | undefined): PaletteItem[] {
  return routesFor(role)
    .filter(({ label, keywords }) => matches(`${label} ${keywords}`, words))
    .map(({ label, href, icon }) => {
      const Icon = ROUTE_ICONS[icon];
      return { group: 'Pages', label, href, icon: <Icon {...ICON} /> };
    });
}

function addressItems(addresses: AddressMatch[]): PaletteItem[] {
  return addresses.map(({ kind, address, note, href }) => ({
    group: 'Addresses',
    label: <span className="mono">{address}</span>,
    hint: note,
    href,
    icon: kind === 'mailbox' ? <IconAddressBook {...ICON} /> : <IconAt {...ICON} />,
  }));
}

function domainItems(items: { id: string; name: string; active: boolean }[], words: string): PaletteItem[] {
  const isBeginning = ({ name }: { name: string }) => name.startsWith(words);
  const ranked = [...items.filter(isBeginning), ...items.filter((item) => !isBeginning(item))];
  return ranked.map(({ id, name, active }) => ({
    group: 'Domains',
    label: <span className="mono">{name}</span>,
    hint: active ? 'Domain' : 'Inactive domain',
    href: `/domains/${id}`,
    icon: <IconWorld {...ICON} />,
  }));
}

function messageItems(words: string): PaletteItem[] {
  return [
    {
      group: 'Messages',
      label: `Search messages for “${words}”`,
      href: `/messages?q=${encodeURIComponent(words)}`,
      icon: <IconArrowRight {...ICON} />,
    },
  ];
}

function actions(words: string, role: Role | undefined): PaletteItem[] {
  const all = [
    { label: 'New alias', href: '/aliases?new=true', minRole: 'domain_admin' },
    { label: 'New mailbox', href: '/mailboxes?new=true', minRole: 'domain_admin' },
    { label: 'New API key', href: '/api-keys?new=true', minRole: 'domain_admin' },
    { label: 'Add domain', href: '/domains?new=true', minRole: 'admin' },
  ] as const;
  return all
    .filter(({ label, minRole }) => matches(label, words) && role !== undefined && hasRole(role, minRole))
    .map(({ label, href }) => ({ group: 'Actions', label, href, icon: <IconPlus {...ICON} /> }));
}

function matches(text: string, words: string): boolean {
  const haystack = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}
