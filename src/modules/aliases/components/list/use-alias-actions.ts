'use client';

import { useRef, useState } from 'react';
import { type Problem, toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import type { Notice } from '@/components/notification';
import type { Alias } from '../../schema';

/** Activates, deactivates and deletes aliases one at a time, with undo. A failure stops the run and is reported. */
export function useAliasActions() {
  const utils = trpc.useUtils();
  const update = trpc.aliases.update.useMutation();
  const remove = trpc.aliases.delete.useMutation();
  const create = trpc.aliases.create.useMutation();
  const [notice, setNotice] = useState<Notice | null>(null);
  const [pending, setPending] = useState<ReadonlyMap<string, { active: boolean }>>(new Map());
  const queue = useRef(Promise.resolve());
  const count = useRef(0);

  const notify = (text: string, more: Omit<Notice, 'key' | 'text'> = {}) => {
    count.current += 1;
    setNotice({ key: count.current, text, ...more });
  };
  const refresh = () => Promise.all([utils.aliases.invalidate(), utils.domains.invalidate()]);

  /** Applies `act` to each alias until one fails. */
  const run = (aliases: Alias[], act: (alias: Alias) => Promise<unknown>, report: (outcome: Outcome) => void) => {
    queue.current = queue.current.then(async () => {
      const done: Alias[] = [];
      let problem: Problem | undefined;
      for (const alias of aliases) {
        try {
          await act(alias);
          done.push(alias);
        } catch (error) {
          problem = toProblem(error);
          break;
        }
      }
      await refresh();
      report({ done, problem });
    });
  };

  const setActive = (aliases: Alias[], active: boolean) => {
    const wanted = { active };
    setPending((before) => new Map([...before, ...aliases.map(({ id }) => [id, wanted] as const)]));
    run(
      aliases,
      ({ id }) => update.mutateAsync({ id, active }),
      ({ done, problem }) => {
        setPending((before) => new Map([...before].filter(([, latest]) => latest !== wanted)));
        const undo = done.length > 0 ? () => setActive(done, !active) : undefined;
        if (problem)
          notify(`Couldn’t ${active ? 'activate' : 'deactivate'} ${nameOf(aliases.slice(done.length))}`, {
            problem,
            undo,
          });
        else notify(`${active ? 'Activated' : 'Deactivated'} ${nameOf(done)}`, { undo });
      },
    );
  };

  const restore = (aliases: Alias[]) =>
    run(
      aliases,
      ({ domain_id, source_local_part, destination, active }) =>
        create.mutateAsync({ domain_id, source_local_part, destination, active }),
      ({ done, problem }) => {
        if (problem) notify(`Couldn’t restore ${nameOf(aliases.slice(done.length))}`, { problem });
        else notify(`Restored ${nameOf(done)}`);
      },
    );

  const deleteAll = (aliases: Alias[], onDone: () => void) =>
    run(
      aliases,
      ({ id }) => remove.mutateAsync({ id }),
      ({ done, problem }) => {
        onDone();
        const undo = done.length > 0 ? () => restore(done) : undefined;
        if (problem) notify(`Couldn’t delete ${nameOf(aliases.slice(done.length))}`, { problem, undo });
        else notify(`Deleted ${nameOf(done)}`, { undo, takesFocus: true });
      },
    );

  return {
    notice,
    notify,
    dismiss: () => setNotice(null),
    refresh,
    isActive: ({ id, active }: Alias) => pending.get(id)?.active ?? active,
    setActive,
    deleteAll,
    isDeleting: remove.isPending,
  };
}

type Outcome = { done: Alias[]; problem: Problem | undefined };

function nameOf([first, ...others]: Alias[]): string {
  return others.length === 0 ? (first?.address ?? '') : `${others.length + 1} aliases`;
}
