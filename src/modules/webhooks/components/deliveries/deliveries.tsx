'use client';

import { Button, Group } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { trpc } from '@/components/api/trpc';
import { useCursorHistory } from '@/components/data-table/cursor-history';
import { DataTable } from '@/components/data-table/data-table';
import { Pagination } from '@/components/data-table/pagination';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { StatusMark } from '@/components/marks/status-mark';
import { formatPlural } from '@/lib/format';
import type { Delivery, Webhook } from '../../schema';
import { DeliveryDetails } from '../attempts/delivery-details';
import type { Notify } from '../use-webhook-actions';
import { isAboutToChange } from '../webhook-values';
import { deliveryColumns } from './delivery-columns';
import { DeliveryTools } from './delivery-tools';
import { OpenDelivery } from './open-delivery';
import { useDeliveryFilters } from './use-delivery-filters';
import { useHeldRows } from './use-held-rows';

const PAGE_SIZE = 25;
const REFRESH_MS = 5_000;
const REFRESH_ACTIVE_MS = 1_000;

type DeliveriesProps = { id: string; webhook: Webhook | undefined; notify: Notify };

export function Deliveries({ id, webhook, notify }: DeliveriesProps) {
  const { filters, change, open, clear, isFiltered, input } = useDeliveryFilters();
  const history = useCursorHistory();
  const isActive = webhook?.active ?? true;
  const refetchInterval = (items: Delivery[] = []) =>
    items.some((delivery) => isAboutToChange(delivery, isActive)) ? REFRESH_ACTIVE_MS : REFRESH_MS;
  const list = trpc.webhooks.deliveries.useQuery(
    { id, ...input, limit: PAGE_SIZE, cursor: history.cursor },
    { placeholderData: keepPreviousData, refetchInterval: ({ state }) => refetchInterval(state.data?.items) },
  );
  const { rows, newer, release } = useHeldRows(list.data?.items, filters.delivery);
  const isEmpty = rows?.length === 0 && history.isFirst;
  const columns = deliveryColumns({ openId: filters.delivery, isInactive: !isActive, onOpen: open });
  const isUnlisted = filters.delivery !== null && rows?.every((row) => row.id !== filters.delivery);
  const details = (delivery: Delivery) =>
    delivery.id === filters.delivery && webhook ? (
      <DeliveryDetails key={delivery.id} webhook={webhook} delivery={delivery} notify={notify} />
    ) : null;

  if (list.isError && !rows) {
    return (
      <ErrorState what="deliveries" error={list.error} onRetry={() => void list.refetch()}>
        {isFiltered && <Button onClick={clear}>Clear filters</Button>}
      </ErrorState>
    );
  }
  return (
    <>
      <DeliveryTools filters={filters} change={change}>
        {newer > 0 && (
          <Button variant="subtle" color="gray" leftSection={<IconArrowUp stroke={1.5} />} onClick={release}>
            {formatPlural(newer, 'newer delivery', 'newer deliveries')}
          </Button>
        )}
        {list.isError && <StatusMark status="warning">Not up to date: the server isn’t responding</StatusMark>}
      </DeliveryTools>
      {isUnlisted && filters.delivery && (
        <OpenDelivery
          key={filters.delivery}
          ids={{ id, delivery_id: filters.delivery }}
          columns={columns}
          refetchInterval={refetchInterval}
          details={details}
          onClose={() => open(null)}
        />
      )}
      {isEmpty && isFiltered && (
        <EmptyState title="No matching deliveries">
          <p>No deliveries have this status and event.</p>
          <Group pt="md">
            <Button onClick={clear}>Clear filters</Button>
          </Group>
        </EmptyState>
      )}
      {isEmpty && !isFiltered && (
        <EmptyState title="No deliveries yet">
          <p>
            Every event sent to this endpoint is listed here with its attempts and responses. Send a test event to try
            it. New deliveries appear automatically.
          </p>
        </EmptyState>
      )}
      {!isEmpty && (
        <>
          <DataTable
            caption="Deliveries, newest first"
            columns={columns}
            rows={rows}
            rowKey={(row) => row.id}
            rowHref={(row) => `/webhooks/${id}?delivery=${row.id}`}
            onOpen={(row) => open(row.id === filters.delivery ? null : row.id)}
            expanded={details}
            isStale={list.isPlaceholderData}
          />
          <Pagination
            page={list.data && { ...list.data, items: rows ?? [] }}
            history={history}
            labels={{ back: 'Newer', forward: 'Older' }}
          />
        </>
      )}
    </>
  );
}
