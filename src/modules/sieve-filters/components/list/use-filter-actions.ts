'use client';

import { trpc } from '@/components/api/trpc';
import { useActiveActions } from '@/components/list/use-row-actions';
import type { SieveFilter } from '../../schema';
import { positionsAfterMove } from '../filter-values';

/** Activates and moves filters. */
export function useFilterActions() {
  const utils = trpc.useUtils();
  const update = trpc.sieveFilters.update.useMutation({
    onSuccess: (filter) => utils.sieveFilters.get.setData({ id: filter.id }, filter),
  });
  const { run, setActive, latest } = useActiveActions<SieveFilter>({
    keyOf: ({ id }) => id,
    nameOf: ([filter]) => filter?.name ?? '',
    update: ({ id }, { active }) => update.mutateAsync({ id, active }),
    refresh: () => utils.sieveFilters.list.invalidate(),
  });

  const move = (filters: SieveFilter[], filter: SieveFilter, by: -1 | 1) => {
    const positions = new Map(positionsAfterMove(filters, filter, by).map(({ id, position }) => [id, position]));
    if (positions.size === 0) return;
    run({
      rows: filters.filter(({ id }) => positions.has(id)),
      verb: 'move',
      act: ({ id }) => update.mutateAsync({ id, position: positions.get(id) }),
      text: () => `Moved ${filter.name} ${by === -1 ? 'up' : 'down'}`,
      change: ({ id }) => ({ position: positions.get(id) }),
    });
  };

  return { latest, move, setActive: (filter: SieveFilter, active: boolean) => setActive([filter], active) };
}
