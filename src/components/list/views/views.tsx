'use client';

import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { type ViewPage, viewHref, viewQuery } from '@/lib/saved-views';
import { trpc } from '../../api/trpc';
import { lazyDialog } from '../../dialogs/lazy-dialog';
import { IconBookmark, IconCheck, IconChevronDown, IconPlus, IconRefresh, IconTrash } from '../../icons/icons';
import { NearLink } from '../../near-link';
import { useViewActions } from './use-view-actions';
import classes from './views.module.css';

const SaveViewDialog = lazyDialog(() => import('./save-view-dialog').then((module) => module.SaveViewDialog));

const ICON = { size: 16, stroke: 1.5 } as const;
const STALE_MS = 30_000;

/** The view that was opened last on each page, which changed filters can update. */
const opened = new Map<ViewPage, string>();

/** The admin's saved searches of a list. They are loaded when the menu opens. */
export function Views({ page }: { page: ViewPage }) {
  const [isOpen, setIsOpen] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const [query, setQuery] = useState('');
  const list = trpc.savedViews.list.useQuery({ page }, { enabled: isOpen, staleTime: STALE_MS });
  const actions = useViewActions();
  const current = list.data?.find((view) => view.query === query);
  const latest = current ?? list.data?.find(({ id }) => id === opened.get(page));

  const toggle = (next: boolean) => {
    if (next) setQuery(viewQuery(page, new URLSearchParams(window.location.search)));
    setIsOpen(next);
  };

  return (
    <>
      <Menu opened={isOpen} onChange={toggle} width={264} position="bottom-end">
        <Menu.Target>
          <Button leftSection={<IconBookmark stroke={1.5} />} rightSection={<IconChevronDown stroke={1.5} />}>
            Views
          </Button>
        </Menu.Target>
        <Menu.Dropdown className={classes.menu}>
          {list.isPending && <Menu.Label>Loading…</Menu.Label>}
          {list.isError && !list.data && (
            <Menu.Item
              leftSection={<IconRefresh {...ICON} />}
              closeMenuOnClick={false}
              onClick={() => void list.refetch()}
            >
              Couldn’t load views. Retry
            </Menu.Item>
          )}
          {list.data?.length === 0 && <Menu.Label>No saved views yet</Menu.Label>}
          {list.data?.map((view) => (
            <Menu.Item
              key={view.id}
              component={NearLink}
              prefetch={false}
              href={viewHref(page, view.query)}
              aria-current={view === current || undefined}
              leftSection={view === current ? <IconCheck {...ICON} /> : <span className={classes.place} />}
              onClick={() => opened.set(page, view.id)}
            >
              <span className="clip">{view.name}</span>
            </Menu.Item>
          ))}
          <Menu.Divider />
          {latest && latest !== current && query !== '' && (
            <Menu.Item leftSection={<IconRefresh {...ICON} />} onClick={() => actions.update(latest, query)}>
              Update {latest.name}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconPlus {...ICON} />} disabled={query === ''} onClick={() => setIsSaving(true)}>
            Save view…
          </Menu.Item>
          {latest && (
            <Menu.Item className="danger" leftSection={<IconTrash {...ICON} />} onClick={() => actions.remove(latest)}>
              Delete {latest.name}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <SaveViewDialog
        opened={isSaving}
        page={page}
        query={query}
        onClose={() => setIsSaving(false)}
        onSaved={({ id }) => opened.set(page, id)}
      />
    </>
  );
}
