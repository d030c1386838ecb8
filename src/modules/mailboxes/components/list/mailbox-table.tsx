'use client';

import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { addedColumn } from '@/components/data-table/columns';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { byDomain } from '@/components/directory/by-domain';
import { MAILBOX_COLUMNS } from '@/components/directory/mailbox-columns';
import { ListView } from '@/components/list/list-view';
import type { ShownList } from '@/components/list/use-list';
import { SELECTABLE, selectColumn } from '@/components/selection/select-column';
import { SelectionBar } from '@/components/selection/selection-bar';
import { useSelection } from '@/components/selection/use-selection';
import { useHasRole } from '@/components/shell/use-has-role';
import type { Mailbox } from '../../schema';
import { useMailboxActions } from './use-mailbox-actions';

const SuspendMailboxesDialog = lazyDialog(() =>
  import('./bulk-dialogs').then((module) => module.SuspendMailboxesDialog),
);
const DeleteMailboxesDialog = lazyDialog(() => import('./bulk-dialogs').then((module) => module.DeleteMailboxesDialog));

type MailboxTableProps = {
  list: ShownList<Mailbox>;
  empty: ReactNode;
  caption: string;
};

/** Mailboxes, one or several of which can be changed at once. */
export function MailboxTable({ list, empty, caption }: MailboxTableProps) {
  const actions = useMailboxActions();
  const canSuspend = useHasRole('admin');
  const [dialog, setDialog] = useState<'suspend' | 'delete' | null>(null);
  const latest = list.query.data?.items.map(actions.latest) ?? [];
  const rows = byDomain(latest, ({ email }) => email, list.search?.sort);
  const selection = useSelection(rows, ({ id }) => id);
  const finish = () => {
    setDialog(null);
    selection.clear();
  };
  const setActive = (active: boolean) => {
    actions.setActive(
      selection.rowsNow().filter((mailbox) => mailbox.active !== active),
      active,
    );
    finish();
  };

  return (
    <>
      <SelectionBar selection={selection} what="mailboxes">
        {canSuspend && (
          <>
            <Button size="xs" onClick={() => setDialog('suspend')}>
              Suspend
            </Button>
            <Button
              size="xs"
              onClick={() => {
                actions.unsuspend(selection.rowsNow().filter(({ suspended }) => suspended));
                finish();
              }}
            >
              Unsuspend
            </Button>
          </>
        )}
        <Button size="xs" onClick={() => setActive(false)}>
          Deactivate
        </Button>
        <Button size="xs" onClick={() => setActive(true)}>
          Activate
        </Button>
        <Button size="xs" className="danger" onClick={() => setDialog('delete')}>
          Delete
        </Button>
      </SelectionBar>
      <ListView
        list={list}
        rows={rows}
        empty={empty}
        noMatches="No mailbox matches these filters."
        caption={caption}
        className={SELECTABLE}
        columns={[
          selectColumn({ selection, nameOf: ({ email }) => email, mobile: 'mark' }),
          ...MAILBOX_COLUMNS,
          addedColumn(),
        ]}
        rowHref={({ id }) => `/mailboxes/${id}`}
        isSelected={selection.has}
        isInactive={({ active }) => !active}
      />
      <SuspendMailboxesDialog
        opened={dialog === 'suspend'}
        mailboxes={selection.rows.filter(({ suspended }) => !suspended)}
        onClose={() => setDialog(null)}
        onConfirm={(reason, mailboxes) => {
          actions.suspend(mailboxes, reason);
          finish();
        }}
      />
      <DeleteMailboxesDialog
        opened={dialog === 'delete'}
        mailboxes={selection.rows}
        onClose={() => setDialog(null)}
        onConfirm={() => {
          actions.deleteAll(selection.rows);
          finish();
        }}
      />
    </>
  );
}
