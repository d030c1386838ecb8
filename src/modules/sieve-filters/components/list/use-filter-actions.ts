'use client';

import { useRef, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import type { Notice } from '@/components/notification';
import type { SieveFilter } from '../../schema';
import { moved } from '../filter-values';

type Change = Partial<Pick<SieveFilter, 'active' | 'position'>>;

/** Switching and moving filters, one change after the other, shown before the server has it. */
export function useFilterActions() {
  const utils = trpc.useUtils();
  const update = trpc.sieveFilters.update.useMutation();
  const [notice, setNotice] = useState<Notice | null>(null);
  const [changed, setChanged] = useState<ReadonlyMap<string, Change>>(new Map());
  const queue = useRef(Promise.resolve());
  const waiting = useRef(0);

  const say = (text: string, more: Omit<Notice, 'key' | 'text'> = {}) => {
    setNotice((before) => ({ key: (before?.key ?? 0) + 1, text, ...more }));
  };

  const change = (changes: ({ id: string } & Change)[], done: () => void, failed: (error: unknown) => void) => {
    setChanged((before) => {
      const after = new Map(before);
      for (const { id, ...one } of changes) after.set(id, { ...after.get(id), ...one });
      return after;
    });
    waiting.current += 1;
    queue.current = queue.current.then(async () => {
      try {
        for (const one of changes) utils.sieveFilters.get.setData({ id: one.id }, await update.mutateAsync(one));
        done();
      } catch (error) {
        failed(error);
      }
      waiting.current -= 1;
      if (waiting.current > 0) return;
      await utils.sieveFilters.list.invalidate();
      if (waiting.current === 0) setChanged(new Map());
    });
  };

  const switchTo = ({ id, name }: SieveFilter, active: boolean) => {
    change(
      [{ id, active }],
      () =>
        say(active ? `${name} is on` : `${name} is off`, {
          undo: () => switchTo({ id, name } as SieveFilter, !active),
        }),
      (error) => say(`${name} could not be switched ${active ? 'on' : 'off'}`, { problem: toProblem(error) }),
    );
  };

  const move = (filters: SieveFilter[], filter: SieveFilter, by: -1 | 1) => {
    const changes = moved(filters, filter, by);
    if (changes.length === 0) return;
    change(
      changes,
      () => say(`${filter.name} runs ${by === -1 ? 'earlier' : 'later'} now`),
      (error) => say(`${filter.name} could not be moved`, { problem: toProblem(error) }),
    );
  };

  return {
    notice,
    dismiss: () => setNotice(null),
    /** With what was changed here and is not saved yet. */
    latest: (filters: SieveFilter[]) => filters.map((filter) => ({ ...filter, ...changed.get(filter.id) })),
    switchTo,
    move,
  };
}
