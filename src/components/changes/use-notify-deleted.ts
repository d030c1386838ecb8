'use client';

import { toProblem } from '../api/problem';
import { trpc } from '../api/trpc';
import { type Notice, notify } from '../notifications';

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
