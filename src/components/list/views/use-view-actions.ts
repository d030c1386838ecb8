'use client';

import type { View } from '@/lib/saved-views';
import { ifUnchanged } from '../../api/if-unchanged';
import { toProblem } from '../../api/problem';
import { trpc } from '../../api/trpc';
import { dismissResult, notify } from '../../notifications';

type Views = NonNullable<ReturnType<ReturnType<typeof trpc.useUtils>['savedViews']['list']['getData']>>;
type Change = (views: Views) => Views;

/** Updates and deletes views, with Undo. */
export function useViewActions() {
  const utils = trpc.useUtils();
  const create = trpc.savedViews.create.useMutation();
  const change = trpc.savedViews.update.useMutation();
  const drop = trpc.savedViews.delete.useMutation();

  /** Changes the list before it says so: the menu could otherwise act on a view, and undo to one, as it was before. */
  const run = async (
    verb: string,
    { page, name }: View,
    act: () => Promise<Change>,
    done: string,
    undo?: () => void,
  ) => {
    dismissResult();
    try {
      const changed = await act();
      await utils.savedViews.list.cancel({ page });
      utils.savedViews.list.setData({ page }, (views) => views && changed(views));
      notify({ text: `${done} ${name}`, undo });
    } catch (error) {
      notify({ text: `Couldn’t ${verb} ${name}`, problem: toProblem(error) });
    }
    await utils.savedViews.invalidate();
  };
  const set = async (view: View, query: string): Promise<Change> => {
    const changed = await change.mutateAsync(ifUnchanged('saved_view', view, { id: view.id, query }));
    return (views) => views.map((other) => (other.id === view.id ? changed : other));
  };
  const update = (view: View, query: string): void =>
    void run(
      'update',
      view,
      () => set(view, query),
      'Updated',
      () => void run('restore', view, () => set({ ...view, query }, view.query), 'Restored'),
    );
  const remove = (view: View): void => {
    const { id, page, name, query } = view;
    const restore = async (): Promise<Change> => {
      const created = await create.mutateAsync({ page, name, query });
      return (views) => [...views, created].toSorted((one, other) => one.name.localeCompare(other.name));
    };
    const take = async (): Promise<Change> => {
      await drop.mutateAsync(ifUnchanged('saved_view', view, { id }));
      return (views) => views.filter((other) => other.id !== id);
    };
    void run('delete', view, take, 'Deleted', () => void run('restore', view, restore, 'Restored'));
  };
  return { update, remove };
}
