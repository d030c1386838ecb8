'use client';

import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { ErrorState } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import type { ByDelivery, Delivery } from '../../schema';
import classes from './open-delivery.module.css';

type OpenDeliveryProps = {
  ids: ByDelivery;
  columns: DataTableColumn<Delivery>[];
  refetchInterval: (items: Delivery[]) => number;
  details: (delivery: Delivery) => ReactNode;
  onClose: () => void;
};

/** The open delivery when the list doesn't contain it: it is on another page or filtered out. */
export function OpenDelivery({ ids, columns, refetchInterval: pace, details, onClose }: OpenDeliveryProps) {
  const { data, isError, error, refetch } = trpc.webhooks.delivery.useQuery(ids, {
    refetchInterval: ({ state }) => pace(state.data ? [state.data] : []),
  });
  if (isError && !data) {
    return (
      <ErrorState what="this delivery" error={error} onRetry={() => void refetch()}>
        <Button onClick={onClose}>Close delivery</Button>
      </ErrorState>
    );
  }
  return (
    <section className={classes.section} aria-labelledby="open-delivery">
      <SectionHeading title="Open delivery" id="open-delivery">
        <span className="quiet">Not in the list below</span>
      </SectionHeading>
      <DataTable
        caption="Open delivery"
        hideHeader
        columns={columns}
        rows={data && [data]}
        expanded={details}
        skeletonRows={1}
      />
    </section>
  );
}
