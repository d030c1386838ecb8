'use client';

import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { Ledger, type LedgerColumn } from '@/components/ledger/ledger';
import { ErrorNote } from '@/components/ledger/notes';
import type { ByDelivery, Delivery } from '../../schema';

type DeliveryElsewhereProps = {
  ids: ByDelivery;
  columns: LedgerColumn<Delivery>[];
  pace: (items: Delivery[]) => number;
  details: (delivery: Delivery) => ReactNode;
  onClose: () => void;
};

/** The open delivery where it is not among those listed: on another page of them, or left out by a filter. */
export function DeliveryElsewhere({ ids, columns, pace, details, onClose }: DeliveryElsewhereProps) {
  const { data, isError, error, refetch } = trpc.webhooks.delivery.useQuery(ids, {
    refetchInterval: ({ state }) => pace(state.data ? [state.data] : []),
  });
  if (isError && !data) {
    return (
      <ErrorNote what="this delivery" error={error} onRetry={() => void refetch()}>
        <Button onClick={onClose}>Only the list</Button>
      </ErrorNote>
    );
  }
  return (
    <section className="elsewhere" aria-labelledby="elsewhere">
      <div className="section">
        <h2 id="elsewhere">The open delivery</h2>
        <span className="quiet">It is not among those listed below</span>
      </div>
      <Ledger
        caption="The open delivery"
        className="deliveries"
        headless
        columns={columns}
        rows={data && [data]}
        rowKey={(row) => row.id}
        opened={details}
        bones={1}
      />
    </section>
  );
}
