'use client';

import { ActionIcon, Input, useMantineColorScheme } from '@mantine/core';
import { Spotlight, useSpotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { useRouter } from 'next/navigation';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useState } from 'react';
import type { Role } from '@/lib/access/roles';
import { confirmLeave } from '../../dialogs/navigation-guard';
import { IconSearch, IconX } from '../../icons/icons';
import { isComposing } from '../../is-composing';
import { useSignOut } from '../navigation/account-menu';
import type { Command, PaletteItem } from './items/item';
import { paletteItems } from './items/palette-items';
import classes from './palette.module.css';
import { leaveFocus, PALETTE_LABEL, palette, paletteStore, returnFocus, setPaletteQuery } from './palette-store';
import { usePaletteSearch } from './use-palette-search';
import { useSelection } from './use-selection';

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
  const commands = useCommands(onShortcuts);
  const { opened, query } = useSpotlight(paletteStore);
  const words = query.trim();
  const found = usePaletteSearch(words, role);
  const { isSearching } = found;
  const items = paletteItems({ words, role, commands, ...found });
  const groups = [...new Set(items.map(({ group }) => group))];
  const keys = items.map(({ key }) => key);
  const { at, hasChosen, isByMouse, move, point } = useSelection(words, keys, opened);
  const seen = `${at} ${keys.join()}`;
  useLayoutEffect(() => {
    if (opened && seen && !isByMouse)
      document.getElementById(optionId(listId, at))?.scrollIntoView({ block: 'nearest' });
  }, [opened, seen, isByMouse, listId, at]);

  // Enter right after typing opens the best result, even if it hasn't arrived.
  const [waiting, setWaiting] = useState<{ words: string; isNewTab: boolean } | null>(null);
  useEffect(() => {
    if (waiting === null || (opened && waiting.words === words && isSearching)) return;
    setWaiting(null);
    const [first] = items;
    if (opened && waiting.words === words && first) follow(first, waiting.isNewTab);
  });

  const open = (item: PaletteItem, isNewTab: boolean) => {
    if (isSearching && !hasChosen && SEARCHED_TEXTS.has(item.group)) setWaiting({ words, isNewTab });
    else follow(item, isNewTab);
  };
  const follow = ({ href, run }: PaletteItem, isNewTab: boolean) => {
    if (href && isNewTab) window.open(href, '_blank', 'noopener');
    else if (href) confirmLeave(() => go(href));
    // Before a dialog opens, which remembers what to give the focus back to.
    returnFocus();
    run?.();
    palette.close();
  };
  const go = (href: string) => {
    if (new URL(href, window.location.href).pathname !== window.location.pathname) leaveFocus();
    router.push(href);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && items[at]) open(items[at], event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
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
      <Input
        classNames={{ input: classes.search }}
        size="lg"
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
        value={query}
        onChange={(event) => setPaletteQuery(event.currentTarget.value)}
        onKeyDown={onKeyDown}
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
                  closeSpotlightOnTrigger={false}
                  // An entry that moves below a resting mouse isn't chosen.
                  onMouseMove={({ movementX, movementY }) => (movementX !== 0 || movementY !== 0) && point(index)}
                  onClick={({ ctrlKey, metaKey }) => follow(item, ctrlKey || metaKey)}
                >
                  {item.icon}
                  <span className={classes.label}>{item.label}</span>
                  <span className={classes.hint}>
                    <span className="clip">{item.hint}</span>
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

function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}
