'use client';

import type { View } from '@/lib/saved-views';
import { toProblem } from '../../api/problem';
import { trpc } from '../../api/trpc';
import { dismissResult, notify } from '../../notifications';

/** Updates and deletes views, with Undo. */
export function useViewActions() {
  const utils = trpc.useUtils();
  const create = trpc.savedViews.create.useMutation();
  const change = trpc.savedViews.update.useMutation();
  const drop = trpc.savedViews.delete.useMutation();

  const run = async (verb: string, { name }: View, act: () => Promise<unknown>, done: string, undo?: () => void) => {
    dismissResult();
    try {
      await act();
      notify({ text: `${done} ${name}`, undo });
    } catch (error) {
      notify({ text: `Couldn’t ${verb} ${name}`, problem: toProblem(error) });
    }
    await utils.savedViews.invalidate();
  };
  const update = (view: View, query: string): void =>
    void run(
      'update',
      view,
      () => change.mutateAsync({ id: view.id, query }),
      'Updated',
      () => void run('restore', view, () => change.mutateAsync({ id: view.id, query: view.query }), 'Restored'),
    );
  const remove = (view: View): void => {
    const { page, name, query } = view;
    const restore = () => create.mutateAsync({ page, name, query });
    void run(
      'delete',
      view,
      () => drop.mutateAsync({ id: view.id }),
      'Deleted',
      () => void run('restore', view, restore, 'Restored'),
    );
  };
  return { update, remove };
}
