'use client';

import { ActionIcon, Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAddressBook, IconArrowRight, IconAt, IconPlus, IconSearch, IconWorld, IconX } from '@tabler/icons-react';
import { useRouter } from 'next/navigation';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { hasRole, type Role } from '@/lib/roles';
import { routesFor } from '@/lib/routes';
import { trpc } from '../api/trpc';
import { leave } from '../dialogs/leaving';
import { type Address, useAddresses } from '../directory/use-addresses';
import { ROUTE_ICONS } from './navigation';

type Find = { group: string; label: ReactNode; end?: string; href: string; icon: ReactNode };
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
  const addresses = useAddresses(q);
  const finds = [
    ...pages(words, role),
    ...(words ? addressFinds(addresses) : []),
    ...(words ? domainFinds(domains.data?.items ?? [], words.toLowerCase()) : []),
    ...(words ? messageFinds(words) : []),
    ...actions(words, role),
  ];
  const selected = Math.min(at, finds.length - 1);

  const open = (find: Find | undefined, inNewTab: boolean) => {
    if (!find) return;
    onClose();
    if (inNewTab) window.open(find.href, '_blank', 'noopener');
    else leave(() => router.push(find.href));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const next = (selected + step + finds.length) % finds.length;
      setAt(next);
      document.getElementById(`${listId}-${next}`)?.scrollIntoView({ block: 'nearest' });
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      open(finds[selected], event.ctrlKey || event.metaKey);
    }
  };

  return (
    <Modal
      opened
      onClose={onClose}
      size={640}
      yOffset={72}
      withCloseButton={false}
      aria-label="Find"
      className="palette"
    >
      <div className="palette-search">
        <IconSearch {...ICON} />
        <input
          role="combobox"
          aria-label="Find a page, address, domain or message"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={finds.length > 0 ? `${listId}-${selected}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder="Find a page, address, domain or message"
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
      <div id={listId} role="listbox" aria-label="Found" className="palette-list">
        {finds.map((find, index) => (
          <div key={find.href} role="presentation">
            {find.group !== finds[index - 1]?.group && (
              <p className="palette-group" role="presentation">
                {find.group}
              </p>
            )}
            <div
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === selected}
              className="found"
              onMouseMove={() => setAt(index)}
              onMouseDown={(event) => event.preventDefault()}
              onClick={(event) => open(find, event.ctrlKey || event.metaKey)}
              onKeyDown={onKeyDown}
            >
              {find.icon}
              <span className="found-main">{find.label}</span>
              <span className="found-end">
                {find.end}
                {index === selected && <kbd>Enter</kbd>}
              </span>
            </div>
          </div>
        ))}
      </div>
      <p className="palette-foot">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>Ctrl Enter</kbd> in a new tab
        </span>
        <span className="push">
          <kbd>Esc</kbd> close
        </span>
      </p>
    </Modal>
  );
}

function pages(words: string, role: Role | undefined): Find[] {
  return routesFor(role)
    .filter(({ label, keywords }) => matches(`${label} ${keywords}`, words))
    .map(({ label, href, icon }) => {
      const Icon = ROUTE_ICONS[icon];
      return { group: 'Pages', label, href, icon: <Icon {...ICON} /> };
    });
}

function addressFinds(addresses: Address[]): Find[] {
  return addresses.map(({ kind, address, end, href }) => ({
    group: 'Addresses',
    label: <span className="mono">{address}</span>,
    end,
    href,
    icon: kind === 'mailbox' ? <IconAddressBook {...ICON} /> : <IconAt {...ICON} />,
  }));
}

function domainFinds(items: { id: string; name: string; active: boolean }[], words: string): Find[] {
  const isBeginning = ({ name }: { name: string }) => name.startsWith(words);
  const ranked = [...items.filter(isBeginning), ...items.filter((item) => !isBeginning(item))];
  return ranked.map(({ id, name, active }) => ({
    group: 'Domains',
    label: <span className="mono">{name}</span>,
    end: active ? 'Domain' : 'Domain, off',
    href: `/domains/${id}`,
    icon: <IconWorld {...ICON} />,
  }));
}

function messageFinds(words: string): Find[] {
  return [
    {
      group: 'Messages',
      label: `All messages with “${words}”`,
      href: `/messages?q=${encodeURIComponent(words)}`,
      icon: <IconArrowRight {...ICON} />,
    },
  ];
}

function actions(words: string, role: Role | undefined): Find[] {
  const all = [
    { label: 'New alias', href: '/aliases?new=true', minRole: 'domain_admin' },
    { label: 'New mailbox', href: '/mailboxes?new=true', minRole: 'domain_admin' },
    { label: 'New API key', href: '/api-keys?new=true', minRole: 'domain_admin' },
    { label: 'Add a domain', href: '/domains?new=true', minRole: 'admin' },
  ] as const;
  return all
    .filter(({ label, minRole }) => matches(label, words) && role !== undefined && hasRole(role, minRole))
    .map(({ label, href }) => ({ group: 'Do', label, href, icon: <IconPlus {...ICON} /> }));
}

function matches(text: string, words: string): boolean {
  const haystack = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}
