'use client';

import { trpc } from '@/components/api/trpc';
import { useRowActions } from '@/components/list/use-row-actions';
import { formatPlural } from '@/lib/format';
import type { Domain } from '../../schema';

/** Checks the DNS of several domains, one after the other. */
export function useDnsChecks() {
  const utils = trpc.useUtils();
  const check = trpc.domains.checkDns.useMutation();
  const { run, isBusy } = useRowActions<Domain>({
    keyOf: ({ id }) => id,
    nameOf: nameOfDomains,
    refresh: () => Promise.all([utils.domains.invalidate(), utils.overview.invalidate()]),
  });
  return {
    isBusy,
    checkAll: (domains: Domain[]): void =>
      run({
        rows: domains,
        verb: 'check the DNS of',
        act: ({ id }) => check.mutateAsync({ id }),
        text: (done) => `Checked the DNS of ${nameOfDomains(done)}`,
        takesFocus: true,
      }),
  };
}

function nameOfDomains([first, ...others]: Domain[]): string {
  if (!first) return '';
  return others.length === 0 ? first.name : formatPlural(others.length + 1, 'domain');
}
