'use client';

import { ActionIcon, useMantineColorScheme } from '@mantine/core';
import { Spotlight, useSpotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { useRouter } from 'next/navigation';
import { type MouseEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Role } from '@/lib/roles';
import { confirmLeave } from '../../dialogs/navigation-guard';
import { IconSearch, IconX } from '../../icons/icons';
import { useSignOut } from '../navigation/account-menu';
import type { Command, PaletteItem } from './items/item';
import { paletteItems } from './items/palette-items';
import classes from './palette.module.css';
import { leaveFocus, PALETTE_LABEL, palette, paletteStore, returnFocus } from './palette-store';
import { usePaletteSearch } from './use-palette-search';

export type PaletteProps = {
  role: Role | undefined;
  onShortcuts: () => void;
  onFocus: (input: HTMLInputElement) => void;
};

/** The groups of results that the server finds by text, which may be results of the words before. */
const SEARCHED_TEXTS = new Set<PaletteItem['group']>(['Messages', 'API reference', 'Documentation']);

export function Palette({ role, onShortcuts, onFocus }: PaletteProps) {
  const router = useRouter();
  const listId = useId();
  const withControl = useRef(false);
  const commands = useCommands(onShortcuts);
  const { opened, query, selected } = useSpotlight(paletteStore);
  const words = query.trim();
  const found = usePaletteSearch(words, role);
  const { isSearching } = found;
  const items = paletteItems({ words, role, commands, ...found });
  const groups = [...new Set(items.map(({ group }) => group))];
  // What was chosen stays so when results arrive above it.
  const chosen = useRef<{ words: string; key: string | undefined } | null>(null);
  const kept = chosen.current?.words === words ? items.findIndex(({ key }) => key === chosen.current?.key) : -1;
  const at = kept >= 0 ? kept : Math.max(0, Math.min(selected, items.length - 1));
  const choose = (index: number) => {
    chosen.current = { words, key: items[index]?.key };
    select(index);
  };
  // Before the next key.
  useLayoutEffect(() => {
    if (opened && selected !== at) select(at);
  }, [opened, selected, at]);

  // Enter right after typing opens the best result, even if it hasn't arrived.
  const [waitsFor, setWaitsFor] = useState<string | null>(null);
  const isTooEarly = ({ group }: PaletteItem) =>
    isSearching && SEARCHED_TEXTS.has(group) && chosen.current?.words !== words;
  useEffect(() => {
    if (waitsFor === null || (opened && waitsFor === words && isSearching)) return;
    setWaitsFor(null);
    const [first] = items;
    if (!opened || waitsFor !== words || !first) return;
    follow(first, withControl.current);
    palette.close();
  });

  const open = (item: PaletteItem, event: MouseEvent) => {
    if (isTooEarly(item)) setWaitsFor(words);
    // Spotlight clicks the selected item on Enter, without the keys that were held.
    else follow(item, event.detail === 0 ? withControl.current : event.ctrlKey || event.metaKey);
  };
  const follow = ({ href, run }: PaletteItem, isNewTab: boolean) => {
    if (href && isNewTab) window.open(href, '_blank', 'noopener');
    else if (href) confirmLeave(() => go(href));
    // Before a dialog opens, which remembers what to give the focus back to.
    returnFocus();
    run?.();
  };
  const go = (href: string) => {
    if (new URL(href, window.location.href).pathname !== window.location.pathname) leaveFocus();
    router.push(href);
  };

  return (
    <Spotlight.Root
      store={paletteStore}
      shortcut={null}
      returnFocus={false}
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
        leftSection={<IconSearch size={16} stroke={1.5} />}
        rightSection={
          <ActionIcon className="only-small" aria-label="Close" onClick={palette.close}>
            <IconX size={16} stroke={1.5} />
          </ActionIcon>
        }
        rightSectionPointerEvents="all"
        onFocus={(event) => onFocus(event.currentTarget)}
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
                  closeSpotlightOnTrigger={!isTooEarly(item)}
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
