'use client';

import { ActionIcon } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, useSpotlight } from '@mantine/spotlight';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useRouter } from 'next/navigation';
import { type MouseEvent, useEffect, useId, useRef } from 'react';
import type { Role } from '@/lib/roles';
import { trpc } from '../../api/trpc';
import { confirmLeave } from '../../dialogs/navigation-guard';
import { useAddressSearch } from '../../directory/use-address-search';
import classes from './palette.module.css';
import { type PaletteItem, paletteItems } from './palette-items';
import { PALETTE_LABEL, palette, paletteStore } from './palette-store';

export function Palette({ role }: { role: Role | undefined }) {
  const router = useRouter();
  const listId = useId();
  const withControl = useRef(false);
  const { opened, query, selected } = useSpotlight(paletteStore);
  const words = query.trim();
  const [q] = useDebouncedValue(words, 150);
  const domains = trpc.domains.list.useQuery({ q, limit: 6, sort: 'name', order: 'asc' }, { enabled: q !== '' });
  const addresses = useAddressSearch(q);
  const items = paletteItems({ words, role, addresses, domains: domains.data?.items ?? [] });
  const groups = [...new Set(items.map(({ group }) => group))];
  const at = Math.max(0, Math.min(selected, items.length - 1));
  useEffect(() => {
    if (opened && selected !== at) select(at);
  }, [opened, selected, at]);

  const open = ({ href }: PaletteItem, event: MouseEvent) => {
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
          queueMicrotask(showSelection);
        }}
      />
      <Spotlight.ActionsList id={listId} role="listbox" aria-label="Results">
        {groups.map((group) => (
          <Spotlight.ActionsGroup key={group} label={group} role="group" aria-label={group}>
            {items.map((item, index) =>
              item.group === group ? (
                <Spotlight.Action
                  key={item.href}
                  role="option"
                  aria-selected={index === at}
                  data-selected={index === at || undefined}
                  // Spotlight doesn’t render an action’s `id`.
                  renderRoot={(props) => <button type="button" {...props} id={optionId(listId, index)} />}
                  onMouseMove={() => select(index)}
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
