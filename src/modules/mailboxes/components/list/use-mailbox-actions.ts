'use client';

import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { useActiveActions } from '@/components/list/use-row-actions';
import { useDeleteRows } from '@/components/use-notify-deleted';
import { formatPlural } from '@/lib/format';
import type { Mailbox } from '../../schema';

/** Changes one or several mailboxes, with Undo where that is possible. */
export function useMailboxActions() {
  const utils = trpc.useUtils();
  const update = trpc.mailboxes.update.useMutation();
  const suspendOne = trpc.mailboxes.suspend.useMutation();
  const unsuspendOne = trpc.mailboxes.unsuspend.useMutation();
  const remove = trpc.mailboxes.delete.useMutation();
  const { run, setActive, latest } = useActiveActions<Mailbox>({
    keyOf: ({ id }) => id,
    nameOf: nameOfMailboxes,
    update: (row, change) => update.mutateAsync(ifUnchanged('mailbox', row, { id: row.id, ...change })),
    refresh: () =>
      Promise.all([
        utils.mailboxes.invalidate(),
        utils.domains.invalidate(),
        utils.aliases.invalidate(),
        utils.overview.invalidate(),
      ]),
  });

  const unsuspend = (rows: Mailbox[]): void => {
    if (rows.length === 0) return;
    run({
      rows,
      verb: 'unsuspend',
      act: ({ id }) => unsuspendOne.mutateAsync({ id }),
      text: (done) => `Unsuspended ${nameOfMailboxes(done)}`,
      change: () => ({ suspended: false }),
    });
  };

  const deleteRows = useDeleteRows({ run }, nameOfMailboxes);

  return {
    latest,
    unsuspend,
    setActive: (rows: Mailbox[], active: boolean): void => {
      if (rows.length > 0) setActive(rows, active);
    },
    suspend: (rows: Mailbox[], reason: string): void =>
      run({
        rows,
        verb: 'suspend',
        act: ({ id }) => suspendOne.mutateAsync({ id, reason }),
        text: (done) => `Suspended ${nameOfMailboxes(done)}`,
        undo: unsuspend,
        change: () => ({ suspended: true }),
      }),
    deleteAll: (rows: Mailbox[]): void =>
      deleteRows({ rows, act: (row) => remove.mutateAsync(ifUnchanged('mailbox', row, { id: row.id })) }),
  };
}

export function nameOfMailboxes([first, ...others]: Mailbox[]): string {
  return others.length === 0 ? (first?.email ?? '') : formatPlural(others.length + 1, 'mailbox', 'mailboxes');
}
