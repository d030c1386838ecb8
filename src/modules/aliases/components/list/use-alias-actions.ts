'use client';

import { useRef, useState } from 'react';
import { type Problem, toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import type { Notice } from '@/components/notification';
import type { Alias } from '../../schema';

/** Switching and deleting aliases, one after the other, each with its way back; what fails is said and shown as it is. */
export function useAliasActions() {
  const utils = trpc.useUtils();
  const update = trpc.aliases.update.useMutation();
  const remove = trpc.aliases.delete.useMutation();
  const create = trpc.aliases.create.useMutation();
  const [notice, setNotice] = useState<Notice | null>(null);
  const [switched, setSwitched] = useState<ReadonlyMap<string, { active: boolean }>>(new Map());
  const queue = useRef(Promise.resolve());
  const count = useRef(0);

  const say = (text: string, more: Omit<Notice, 'key' | 'text'> = {}) => {
    count.current += 1;
    setNotice({ key: count.current, text, ...more });
  };
  const refresh = () => Promise.all([utils.aliases.invalidate(), utils.domains.invalidate()]);

  /** Does `act` to each until one fails. */
  const run = (aliases: Alias[], act: (alias: Alias) => Promise<unknown>, say: (outcome: Outcome) => void) => {
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
      say({ done, problem });
    });
  };

  const switchTo = (aliases: Alias[], active: boolean) => {
    const wanted = { active };
    setSwitched((before) => new Map([...before, ...aliases.map(({ id }) => [id, wanted] as const)]));
    run(
      aliases,
      ({ id }) => update.mutateAsync({ id, active }),
      ({ done, problem }) => {
        setSwitched((before) => new Map([...before].filter(([, latest]) => latest !== wanted)));
        const word = active ? 'on' : 'off';
        const undo = done.length > 0 ? () => switchTo(done, !active) : undefined;
        if (problem) say(`${nameOf(aliases.slice(done.length))} could not be switched ${word}`, { problem, undo });
        else say(`${nameOf(done)} ${done.length === 1 ? 'is' : 'are'} ${word}`, { undo });
      },
    );
  };

  const restore = (aliases: Alias[]) =>
    run(
      aliases,
      ({ domain_id, source_local_part, destination, active }) =>
        create.mutateAsync({ domain_id, source_local_part, destination, active }),
      ({ done, problem }) => {
        if (problem) say(`${nameOf(aliases.slice(done.length))} could not be brought back`, { problem });
        else say(`${nameOf(done)} ${done.length === 1 ? 'is' : 'are'} back`);
      },
    );

  const deleteAll = (aliases: Alias[], onDone: () => void) =>
    run(
      aliases,
      ({ id }) => remove.mutateAsync({ id }),
      ({ done, problem }) => {
        onDone();
        const undo = done.length > 0 ? () => restore(done) : undefined;
        if (problem) say(`${nameOf(aliases.slice(done.length))} could not be deleted`, { problem, undo });
        else say(`${nameOf(done)} ${done.length === 1 ? 'is' : 'are'} deleted`, { undo, takesFocus: true });
      },
    );

  return {
    notice,
    say,
    dismiss: () => setNotice(null),
    refresh,
    isOn: ({ id, active }: Alias) => switched.get(id)?.active ?? active,
    switchTo,
    deleteAll,
    isDeleting: remove.isPending,
  };
}

type Outcome = { done: Alias[]; problem: Problem | undefined };

function nameOf([first, ...others]: Alias[]): string {
  return others.length === 0 ? (first?.address ?? '') : `${others.length + 1} aliases`;
}
