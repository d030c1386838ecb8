'use client';

import { ActionIcon, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, useSpotlight } from '@mantine/spotlight';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useRouter } from 'next/navigation';
import { type MouseEvent, useEffect, useId, useRef } from 'react';
import type { Role } from '@/lib/roles';
import { trpc } from '../../api/trpc';
import { confirmLeave } from '../../dialogs/navigation-guard';
import { useAddressSearch } from '../../directory/use-address-search';
import { useSignOut } from '../navigation/account-menu';
import classes from './palette.module.css';
import { type Command, type PaletteItem, paletteItems } from './palette-items';
import { PALETTE_LABEL, palette, paletteStore } from './palette-store';

/** Shorter words match nearly every message. */
const MIN_MESSAGE_SEARCH = 3;

export type PaletteProps = { role: Role | undefined; onShortcuts: () => void };

export function Palette({ role, onShortcuts }: PaletteProps) {
  const router = useRouter();
  const listId = useId();
  const withControl = useRef(false);
  const commands = useCommands(onShortcuts);
  const { opened, query, selected } = useSpotlight(paletteStore);
  const words = query.trim();
  const [q] = useDebouncedValue(words, 150);
  const domains = trpc.domains.list.useQuery({ q, limit: 6, sort: 'name', order: 'asc' }, { enabled: q !== '' });
  const addresses = useAddressSearch(q);
  const messages = trpc.messages.list.useQuery({ q, limit: 5 }, { enabled: q.length >= MIN_MESSAGE_SEARCH });
  const items = paletteItems({
    words,
    role,
    commands,
    addresses,
    domains: domains.data?.items ?? [],
    messages: (q.length >= MIN_MESSAGE_SEARCH && messages.data?.items) || [],
  });
  const groups = [...new Set(items.map(({ group }) => group))];
  // What was chosen stays so when results arrive above it.
  const chosen = useRef<{ words: string; key: string | undefined } | null>(null);
  const kept = chosen.current?.words === words ? items.findIndex(({ key }) => key === chosen.current?.key) : -1;
  const at = kept >= 0 ? kept : Math.max(0, Math.min(selected, items.length - 1));
  const choose = (index: number) => {
    chosen.current = { words, key: items[index]?.key };
    select(index);
  };
  useEffect(() => {
    if (opened && selected !== at) select(at);
  }, [opened, selected, at]);

  const open = ({ href, run }: PaletteItem, event: MouseEvent) => {
    if (!href) return run?.();
    // Spotlight clicks the selected item on Enter, without the keys that were held.
    const isNewTab = event.detail === 0 ? withControl.current : event.ctrlKey || event.metaKey;
    if (isNewTab) window.open(href, '_blank', 'noopener');
    else confirmLeave(() => router.push(href));
  };

  return (
    <Spotlight.Root
      store={paletteStore}
      shortcut={null}
      size={640}
      yOffset={72}
      transitionProps={{ duration: 120, transition: 'fade' }}
      overlayProps={{ color: 'var(--veil)', backgroundOpacity: 1 }}
      attributes={{ content: { 'aria-label': 'Search' } }}
      classNames={classes}
    >
      <Spotlight.Search
        role="combobox"
        aria-label={PALETTE_LABEL}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={items.length > 0 ? optionId(listId, at) : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder={PALETTE_LABEL}
        data-autofocus
        leftSection={<IconSearch size={16} stroke={1.5} aria-hidden="true" />}
        rightSection={
          <ActionIcon className="only-small" aria-label="Close" onClick={palette.close}>
            <IconX size={16} stroke={1.5} />
          </ActionIcon>
        }
        rightSectionPointerEvents="all"
        onKeyDown={(event) => {
          withControl.current = event.ctrlKey || event.metaKey;
          if (event.key.startsWith('Arrow')) queueMicrotask(() => choose(paletteStore.getState().selected));
          queueMicrotask(showSelection);
        }}
      />
      <Spotlight.ActionsList id={listId} role="listbox" aria-label="Results">
        {groups.map((group) => (
          <Spotlight.ActionsGroup key={group} label={group} role="group" aria-label={group}>
            {items.map((item, index) =>
              item.group === group ? (
                <Spotlight.Action
                  key={item.key}
                  role="option"
                  aria-selected={index === at}
                  data-selected={index === at || undefined}
                  // Spotlight doesn’t render an action’s `id`.
                  renderRoot={(props) => <button type="button" {...props} id={optionId(listId, index)} />}
                  onMouseMove={() => choose(index)}
                  onClick={(event) => open(item, event)}
                >
                  {item.icon}
                  <span className={classes.label}>{item.label}</span>
                  <span className={classes.hint}>
                    {item.hint}
                    {index === at && <kbd>Enter</kbd>}
                  </span>
                </Spotlight.Action>
              ) : null,
            )}
          </Spotlight.ActionsGroup>
        ))}
      </Spotlight.ActionsList>
      <Spotlight.Footer>
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
      </Spotlight.Footer>
    </Spotlight.Root>
  );
}

function useCommands(onShortcuts: () => void): Command[] {
  const { setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const themeOf = (scheme: 'light' | 'dark' | 'auto') => () => setColorScheme(scheme);
  return [
    { label: 'Use the light theme', keywords: 'appearance color scheme', run: themeOf('light') },
    { label: 'Use the dark theme', keywords: 'appearance color scheme night', run: themeOf('dark') },
    { label: 'Use the theme of the system', keywords: 'appearance color scheme auto', run: themeOf('auto') },
    { label: 'Show keyboard shortcuts', keywords: 'keys help', run: onShortcuts },
    { label: 'Sign out', keywords: 'log out logout leave', run: signOut.run },
  ];
}

function select(selected: number): void {
  if (paletteStore.getState().selected !== selected) paletteStore.setState((state) => ({ ...state, selected }));
}

/** Spotlight changes the selection on arrow keys without telling its subscribers. */
function showSelection(): void {
  paletteStore.setState((state) => ({ ...state }));
}

function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}
