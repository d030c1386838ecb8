'use client';

import { toProblem } from './api/problem';
import { trpc } from './api/trpc';
import type { RowActions } from './list/use-row-actions';
import { type Notice, notify } from './notifications';

/** The page that restores what was deleted, for as long as that is possible. */
export const RESTORABLE: Notice['link'] = { label: 'Recently deleted', href: '/deleted' };

/** Says that a record was deleted, with Undo. The page that deleted it may be gone by then. */
export function useNotifyDeleted() {
  const utils = trpc.useUtils();
  const restore = trpc.deletedRecords.restore.useMutation();
  const undo = ({ id, name }: { id: string; name: string }) =>
    restore.mutateAsync({ id }).then(
      async () => {
        notify({ text: `Restored ${name}` });
        await utils.invalidate();
      },
      (error) => notify({ text: `Couldn’t restore ${name}`, problem: toProblem(error), link: RESTORABLE }),
    );
  return (record: { id: string; name: string }): void => {
    let isUndone = false;
    const undoOnce = () => {
      if (!isUndone) void undo(record);
      isUndone = true;
    };
    notify({ text: `Deleted ${record.name}`, undo: undoOnce, link: RESTORABLE });
  };
}

type Deletion<Row> = { rows: Row[]; act: (row: Row) => Promise<unknown>; onDone?: () => void };

/** Deletes rows of a list, with Undo. */
export function useDeleteRows<Row extends { id: string }>(
  { run }: Pick<RowActions<Row>, 'run'>,
  nameOf: (rows: Row[]) => string,
) {
  const restoreOne = trpc.deletedRecords.restore.useMutation();
  const restore = (rows: Row[]): void =>
    run({
      rows,
      verb: 'restore',
      act: ({ id }) => restoreOne.mutateAsync({ id }),
      text: (done) => `Restored ${nameOf(done)}`,
    });
  return (deletion: Deletion<Row>): void =>
    run({
      ...deletion,
      verb: 'delete',
      text: (done) => `Deleted ${nameOf(done)}`,
      undo: restore,
      link: RESTORABLE,
      takesFocus: true,
    });
}
