'use client';

import { ifUnchanged } from '@/components/api/if-unchanged';
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
  const change = (filter: SieveFilter, changes: { active?: boolean; position?: number }) =>
    update.mutateAsync(ifUnchanged('sieve_filter', filter, { id: filter.id, ...changes }));
  const { run, setActive, latest } = useActiveActions<SieveFilter>({
    keyOf: ({ id }) => id,
    nameOf: ([filter]) => filter?.name ?? '',
    update: change,
    refresh: () => utils.sieveFilters.list.invalidate(),
  });

  const move = (filters: SieveFilter[], filter: SieveFilter, by: -1 | 1) => {
    const positions = new Map(positionsAfterMove(filters, filter, by).map(({ id, position }) => [id, position]));
    if (positions.size === 0) return;
    run({
      rows: filters.filter(({ id }) => positions.has(id)),
      verb: 'move',
      act: (moved) => change(moved, { position: positions.get(moved.id) }),
      text: () => `Moved ${filter.name} ${by === -1 ? 'up' : 'down'}`,
      change: ({ id }) => ({ position: positions.get(id) }),
    });
  };

  return { latest, move, setActive: (filter: SieveFilter, active: boolean) => setActive([filter], active) };
}
