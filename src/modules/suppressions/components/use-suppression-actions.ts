'use client';

import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { useRowActions } from '@/components/list/use-row-actions';
import { notify } from '@/components/notifications';
import { RESTORABLE, useDeleteRows } from '@/components/use-notify-deleted';
import { formatPlural } from '@/lib/format';
import type { DeletedSuppressions, Suppression } from '../schema';

type Named = { id: string; email: string };

export function useSuppressionActions() {
  const utils = trpc.useUtils();
  const remove = trpc.suppressions.delete.useMutation();
  const removeMatching = trpc.suppressions.deleteMatching.useMutation();
  const restore = trpc.deletedRecords.restore.useMutation();
  const refresh = () => Promise.all([utils.suppressions.invalidate(), utils.deletedRecords.invalidate()]);
  const nameOf = (rows: Named[]) => `the suppression of ${nameOfSuppressions(rows)}`;
  const actions = useRowActions<Named>({ keyOf: ({ id }) => id, nameOf, refresh });
  const deleteRows = useDeleteRows(actions, nameOf);

  const undo = async ({ restorable }: DeletedSuppressions): Promise<void> => {
    try {
      for (const { id } of restorable) await restore.mutateAsync({ id });
      notify({ text: 'Restored the suppressions' });
    } catch (error) {
      notify({ text: 'Couldn’t restore all suppressions', problem: toProblem(error), link: RESTORABLE });
    }
    await refresh();
  };

  return {
    isBusy: actions.isBusy || removeMatching.isPending,
    deleteAll: (rows: Suppression[], onDone: () => void): void =>
      deleteRows({ rows, act: ({ id }) => remove.mutateAsync({ id }), onDone }),
    /** Deletes all that match filters of the list. */
    deleteMatching: (filters: object, onDone: () => void): void =>
      removeMatching.mutate(filters, {
        onSuccess: (deleted) => {
          onDone();
          let isUndone = false;
          const text = `Deleted ${formatPlural(deleted.total, 'suppression')}`;
          notify({
            text: deleted.is_complete ? text : `${text}. More match: delete them, too.`,
            undo: () => {
              if (!isUndone) void undo(deleted);
              isUndone = true;
            },
            link: RESTORABLE,
            takesFocus: true,
          });
        },
        onError: (error) => notify({ text: 'Couldn’t delete the suppressions', problem: toProblem(error) }),
        onSettled: refresh,
      }),
  };
}

/** The address, or how many. */
export function nameOfSuppressions(rows: Pick<Suppression, 'email'>[]): string {
  const [first = '', ...others] = new Set(rows.map(({ email }) => email));
  return others.length === 0 ? first : formatPlural(others.length + 1, 'address', 'addresses');
}
