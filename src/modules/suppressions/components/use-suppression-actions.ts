'use client';

import { trpc } from '@/components/api/trpc';
import { useRowActions } from '@/components/list/use-row-actions';
import { formatPlural } from '@/lib/format';
import type { Suppression } from '../schema';

export function useSuppressionActions() {
  const utils = trpc.useUtils();
  const remove = trpc.suppressions.delete.useMutation();
  const { run, isBusy } = useRowActions<Suppression>({
    keyOf: ({ id }) => id,
    nameOf: (rows) => `the suppression of ${nameOfSuppressions(rows)}`,
    refresh: () => utils.suppressions.invalidate(),
  });
  return {
    isBusy,
    deleteAll: (rows: Suppression[], onDone: () => void): void =>
      run({
        rows,
        verb: 'delete',
        act: ({ id }) => remove.mutateAsync({ id }),
        text: (done) => `Deleted the suppression of ${nameOfSuppressions(done)}`,
        onDone,
        takesFocus: true,
      }),
  };
}

/** The address, or how many. */
export function nameOfSuppressions(rows: Suppression[]): string {
  const [first = '', ...others] = new Set(rows.map(({ email }) => email));
  return others.length === 0 ? first : formatPlural(others.length + 1, 'address', 'addresses');
}
