'use client';

import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { type RowsOutcome, useRowActions } from '@/components/list/use-row-actions';
import { notify } from '@/components/notifications';
import { formatPlural } from '@/lib/format';
import type { DeletedRecord } from '../schema';

/** The longest page of the list. */
const PAGE_LENGTH = 200;

/** A domain comes before what is in it, and a mailbox before its filters. */
const FIRST: DeletedRecord['kind'][] = ['domain', 'mailbox', 'alias'];

/** Restores several deleted records, each also if others fail. */
export function useRestoreRecords() {
  const utils = trpc.useUtils();
  const mutation = trpc.deletedRecords.restore.useMutation();
  const [outcome, setOutcome] = useState<RowsOutcome<DeletedRecord> | null>(null);
  const { run, isBusy } = useRowActions<DeletedRecord>({
    keyOf: ({ id }) => id,
    nameOf: nameOfRecords,
    refresh: () => utils.invalidate(),
  });

  const restore = (records: DeletedRecord[]): void => {
    setOutcome(null);
    run({
      rows: records.toSorted((one, other) => placeOf(one) - placeOf(other)),
      verb: 'restore',
      act: ({ id }) => mutation.mutateAsync({ id }),
      text: (done) => `Restored ${nameOfRecords(done)}`,
      onFailures: (failures, done) => setOutcome({ failures, done }),
      takesFocus: true,
    });
  };

  const readAll = async (domainId: string, kind: 'mailbox' | 'alias'): Promise<DeletedRecord[]> => {
    const records: DeletedRecord[] = [];
    let cursor: string | undefined;
    do {
      const input = { domain_id: domainId, kind, limit: PAGE_LENGTH, cursor };
      const { items, pagination } = await utils.deletedRecords.list.fetch(input, { staleTime: 0 });
      records.push(...items);
      cursor = pagination.next_cursor || undefined;
    } while (cursor);
    return records;
  };

  /** Restores the deleted mailboxes and aliases of a domain. */
  const restoreAddresses = async (domain: { id: string; name: string }): Promise<void> => {
    try {
      restore([...(await readAll(domain.id, 'mailbox')), ...(await readAll(domain.id, 'alias'))]);
    } catch (error) {
      notify({ text: `Couldn’t read what was deleted in ${domain.name}`, problem: toProblem(error) });
    }
  };

  return { restore, restoreAddresses, isBusy, outcome, dismissOutcome: () => setOutcome(null) };
}

function placeOf({ kind }: DeletedRecord): number {
  const place = FIRST.indexOf(kind);
  return place < 0 ? FIRST.length : place;
}

/** The name, or how many. */
function nameOfRecords([first, ...others]: DeletedRecord[]): string {
  if (!first) return '';
  return others.length === 0 ? first.name : formatPlural(others.length + 1, 'record');
}
