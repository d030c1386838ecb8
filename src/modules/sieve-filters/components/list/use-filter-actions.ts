'use client';

import { useRef, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import type { Notice } from '@/components/notification';
import type { SieveFilter } from '../../schema';
import { positionsAfterMove } from '../filter-values';

type Change = Partial<Pick<SieveFilter, 'active' | 'position'>>;

/** Activates and moves filters. Changes are shown immediately and saved one after another. */
export function useFilterActions() {
  const utils = trpc.useUtils();
  const update = trpc.sieveFilters.update.useMutation();
  const [notice, setNotice] = useState<Notice | null>(null);
  const [changed, setChanged] = useState<ReadonlyMap<string, Change>>(new Map());
  const queue = useRef(Promise.resolve());
  const pendingCount = useRef(0);

  const notify = (text: string, more: Omit<Notice, 'key' | 'text'> = {}) => {
    setNotice((before) => ({ key: (before?.key ?? 0) + 1, text, ...more }));
  };

  const change = (changes: ({ id: string } & Change)[], done: () => void, failed: (error: unknown) => void) => {
    setChanged((before) => {
      const after = new Map(before);
      for (const { id, ...values } of changes) after.set(id, { ...after.get(id), ...values });
      return after;
    });
    pendingCount.current += 1;
    queue.current = queue.current.then(async () => {
      try {
        for (const item of changes) utils.sieveFilters.get.setData({ id: item.id }, await update.mutateAsync(item));
        done();
      } catch (error) {
        failed(error);
      }
      pendingCount.current -= 1;
      if (pendingCount.current > 0) return;
      await utils.sieveFilters.list.invalidate();
      if (pendingCount.current === 0) setChanged(new Map());
    });
  };

  const setActive = ({ id, name }: SieveFilter, active: boolean) => {
    change(
      [{ id, active }],
      () =>
        notify(`${active ? 'Activated' : 'Deactivated'} ${name}`, {
          undo: () => setActive({ id, name } as SieveFilter, !active),
        }),
      (error) => notify(`Couldn’t ${active ? 'activate' : 'deactivate'} ${name}`, { problem: toProblem(error) }),
    );
  };

  const move = (filters: SieveFilter[], filter: SieveFilter, by: -1 | 1) => {
    const changes = positionsAfterMove(filters, filter, by);
    if (changes.length === 0) return;
    change(
      changes,
      () => notify(`Moved ${filter.name} ${by === -1 ? 'up' : 'down'}`),
      (error) => notify(`Couldn’t move ${filter.name}`, { problem: toProblem(error) }),
    );
  };

  return {
    notice,
    dismiss: () => setNotice(null),
    /** The filters with unsaved changes applied. */
    latest: (filters: SieveFilter[]) => filters.map((filter) => ({ ...filter, ...changed.get(filter.id) })),
    setActive,
    move,
  };
}
