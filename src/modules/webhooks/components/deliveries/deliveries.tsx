'use client';

import { Button } from '@mantine/core';
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
import type { Say } from '../use-webhook-actions';
import { isMoving } from '../webhook-values';
import { deliveryColumns } from './delivery-columns';
import { DeliveryElsewhere } from './delivery-elsewhere';
import { DeliveryTools } from './delivery-tools';
import { useDeliveryFilters } from './use-delivery-filters';
import { useHeldRows } from './use-held-rows';

const PAGE_SIZE = 25;
const REFRESH_MS = 5_000;
const REFRESH_MOVING_MS = 1_000;

type DeliveriesProps = { id: string; webhook: Webhook | undefined; say: Say };

export function Deliveries({ id, webhook, say }: DeliveriesProps) {
  const { filters, change, open, clear, isFiltered, input } = useDeliveryFilters();
  const trail = useCursorHistory();
  const isActive = webhook?.active ?? true;
  const pace = (items: Delivery[] = []) =>
    items.some((delivery) => isMoving(delivery, isActive)) ? REFRESH_MOVING_MS : REFRESH_MS;
  const list = trpc.webhooks.deliveries.useQuery(
    { id, ...input, limit: PAGE_SIZE, cursor: trail.cursor },
    { placeholderData: keepPreviousData, refetchInterval: ({ state }) => pace(state.data?.items) },
  );
  const { rows, newer, release } = useHeldRows(list.data?.items, filters.delivery);
  const isEmpty = rows?.length === 0 && trail.isFirst;
  const columns = deliveryColumns({ openId: filters.delivery, isHeld: !isActive, onOpen: open });
  const isElsewhere = filters.delivery !== null && rows?.every((row) => row.id !== filters.delivery);
  const details = (delivery: Delivery) =>
    delivery.id === filters.delivery && webhook ? (
      <DeliveryDetails key={delivery.id} webhook={webhook} delivery={delivery} say={say} />
    ) : null;

  if (list.isError && !rows) {
    return (
      <ErrorState what="the deliveries" error={list.error} onRetry={() => void list.refetch()}>
        {isFiltered && <Button onClick={clear}>Clear the filters</Button>}
      </ErrorState>
    );
  }
  return (
    <>
      <DeliveryTools filters={filters} change={change}>
        {newer > 0 && (
          <Button variant="subtle" color="gray" leftSection={<IconArrowUp stroke={1.5} />} onClick={release}>
            {formatPlural(newer, 'newer one')}
          </Button>
        )}
        {list.isError && <StatusMark status="warning">Not up to date: the server does not answer</StatusMark>}
      </DeliveryTools>
      {isElsewhere && filters.delivery && (
        <DeliveryElsewhere
          key={filters.delivery}
          ids={{ id, delivery_id: filters.delivery }}
          columns={columns}
          pace={pace}
          details={details}
          onClose={() => open(null)}
        />
      )}
      {isEmpty && isFiltered && (
        <EmptyState title="No delivery fits">
          <p>Nothing was sent here that has this state and is of this event.</p>
          <div className="row-actions">
            <Button onClick={clear}>Clear the filters</Button>
          </div>
        </EmptyState>
      )}
      {isEmpty && !isFiltered && (
        <EmptyState title="Deliveries will stand here">
          <p>
            Each line is an event sent to this address, with every attempt and what was answered. Send a test event to
            see the first one; new ones come in by themselves.
          </p>
        </EmptyState>
      )}
      {!isEmpty && (
        <>
          <DataTable
            caption="Deliveries, the newest first"
            className="deliveries"
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
            history={trail}
            labels={{ back: 'Newer', forward: 'Older' }}
          />
        </>
      )}
    </>
  );
}
