'use client';

import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { ErrorState } from '@/components/data-table/states';
import type { ByDelivery, Delivery } from '../../schema';

type DeliveryElsewhereProps = {
  ids: ByDelivery;
  columns: DataTableColumn<Delivery>[];
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
      <ErrorState what="this delivery" error={error} onRetry={() => void refetch()}>
        <Button onClick={onClose}>Only the list</Button>
      </ErrorState>
    );
  }
  return (
    <section className="elsewhere" aria-labelledby="elsewhere">
      <div className="section">
        <h2 id="elsewhere">The open delivery</h2>
        <span className="quiet">It is not among those listed below</span>
      </div>
      <DataTable
        caption="The open delivery"
        className="deliveries"
        hideHeader
        columns={columns}
        rows={data && [data]}
        rowKey={(row) => row.id}
        expanded={details}
        skeletonRows={1}
      />
    </section>
  );
}
