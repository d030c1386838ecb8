'use client';

import { useEffect, useRef } from 'react';
import { trpc } from '@/components/api/trpc';
import type { DnsRecord, DomainDns } from '../../dns/schema';
import { recordKey, sortRecords } from './dns-values';

const RUNNING_POLL_MS = 500;
const UNCHECKED_POLL_MS = 5_000;

export type DnsRow = DnsRecord & { isChecking: boolean };
export type Dns = ReturnType<typeof useDns>;

/** The records of a domain. Polls while any admin’s check runs, and until the first one. */
export function useDns(id: string) {
  const utils = trpc.useUtils();
  const check = trpc.domains.checkDns.useMutation({
    onSuccess: async (checked) => {
      await utils.domains.dns.cancel({ id });
      utils.domains.dns.setData({ id }, checked);
    },
  });
  const query = trpc.domains.dns.useQuery(
    { id },
    {
      refetchInterval: ({ state: { data } }) => {
        if (check.isPending || data?.check) return RUNNING_POLL_MS;
        return data?.checked_at === null && UNCHECKED_POLL_MS;
      },
    },
  );
  const { data, error, isPending, refetch } = query;
  const checkedAt = data?.checked_at;
  const lastCheckedAt = useRef(checkedAt);

  useEffect(() => {
    const isNew = lastCheckedAt.current !== undefined && lastCheckedAt.current !== checkedAt;
    lastCheckedAt.current = checkedAt;
    if (!isNew) return;
    void utils.domains.get.invalidate({ id });
    void utils.domains.dnsChanges.invalidate({ id });
  }, [checkedAt, id, utils]);

  return {
    data,
    error,
    isPending,
    refetch: () => void refetch(),
    rows: data && rowsOf(data, check.isPending || data.check !== null),
    isRunning: check.isPending || (data?.check ?? null) !== null,
    checkError: check.error,
    check: () => check.mutate({ id }),
  };
}

/** The stored records in their order. While a check runs, with what it has found so far. */
function rowsOf({ records, check }: DomainDns, isRunning: boolean): DnsRow[] {
  const sorted = sortRecords(records);
  if (!isRunning) return sorted.map((record) => ({ ...record, isChecking: false }));
  const arrived = new Map(check?.records.map((record) => [recordKey(record), record]));
  const known = new Set(records.map(recordKey));
  const at = check?.started_at ?? new Date().toISOString();
  const added = (check?.records ?? []).filter((record) => !known.has(recordKey(record)));
  return [
    ...sorted.map((record) => {
      const found = arrived.get(recordKey(record));
      return { ...record, ...found, isChecking: !found };
    }),
    ...added.map((record) => ({ ...record, changed_at: at, checked_at: at, isChecking: false })),
  ];
}
