'use client';

import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { useActiveActions } from '@/components/list/use-row-actions';
import { useDeleteRows } from '@/components/use-notify-deleted';
import type { Alias } from '../../schema';

/** Activates, deactivates and deletes aliases, with undo. */
export function useAliasActions() {
  const utils = trpc.useUtils();
  const update = trpc.aliases.update.useMutation();
  const remove = trpc.aliases.delete.useMutation();
  const refresh = () => Promise.all([utils.aliases.invalidate(), utils.domains.invalidate()]);
  const { run, ...actions } = useActiveActions<Alias>({
    keyOf: ({ id }) => id,
    nameOf,
    update: (row, change) => update.mutateAsync(ifUnchanged('alias', row, { id: row.id, ...change })),
    refresh,
  });

  const deleteRows = useDeleteRows({ run }, nameOf);
  const deleteAll = (rows: Alias[], onDone: () => void) =>
    deleteRows({ rows, act: (row) => remove.mutateAsync(ifUnchanged('alias', row, { id: row.id })), onDone });

  return { ...actions, refresh, deleteAll, isDeleting: remove.isPending };
}

function nameOf([first, ...others]: Alias[]): string {
  return others.length === 0 ? (first?.address ?? '') : `${others.length + 1} aliases`;
}
