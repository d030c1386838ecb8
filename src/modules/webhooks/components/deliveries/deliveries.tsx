'use client';

import { Button } from '@mantine/core';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { timeLabels } from '@/components/data-table/pagination';
import { EmptyState } from '@/components/data-table/states';
import { IconArrowUp } from '@/components/icons/icons';
import { ExportButton } from '@/components/list/export-csv';
import { FailedRows } from '@/components/list/failed-rows';
import { ListView } from '@/components/list/list-view';
import { rangeInput } from '@/components/list/since';
import { useList } from '@/components/list/use-list';
import { SELECTABLE, selectColumn } from '@/components/selection/select-column';
import { SelectionBar } from '@/components/selection/selection-bar';
import { useSelection } from '@/components/selection/use-selection';
import { ALL_EVENTS } from '@/lib/event-types';
import { formatPlural } from '@/lib/format';
import { deliveryList } from '../../lists';
import type { Delivery, Webhook } from '../../schema';
import { DeliveryDetails } from '../attempts/delivery-details';
import { isAboutToChange } from '../webhook-values';
import { deliveryColumns } from './delivery-columns';
import { DeliveryTools } from './delivery-tools';
import { OpenDelivery } from './open-delivery';
import { useDeliverySearch } from './use-delivery-search';
import { nameOfDelivery, useReplayDeliveries } from './use-replay-deliveries';

const PAGE_SIZE = 25;
const REFRESH_MS = 5_000;
const REFRESH_ACTIVE_MS = 1_000;

type DeliveriesProps = { id: string; webhook: Webhook | undefined };

export function Deliveries({ id, webhook }: DeliveriesProps) {
  const search = useDeliverySearch();
  const { values } = search;
  const open = (delivery: string | null) => search.open({ delivery });
  const isActive = webhook?.active ?? true;
  const refetchInterval = (items: Delivery[] = []) =>
    items.some((delivery) => isAboutToChange(delivery, isActive)) ? REFRESH_ACTIVE_MS : REFRESH_MS;
  const list = useList(deliveryList, trpc.webhooks.deliveries, {
    search,
    input: {
      id,
      status: values.status ?? undefined,
      event: values.event ?? undefined,
      ...rangeInput(values, search.history.now),
    },
    limit: PAGE_SIZE,
    refetchInterval: ({ state }) => refetchInterval(state.data?.items),
  });
  const { rows, newer, release } = useHeldRows(list.query.data?.items, values.delivery);
  const selection = useSelection(rows ?? [], (row) => row.id);
  const replay = useReplayDeliveries(id);
  const [event, ...otherEvents] = webhook?.events ?? [];
  const columns = deliveryColumns({
    openId: values.delivery,
    isInactive: !isActive,
    hasOneEvent: event !== undefined && event !== ALL_EVENTS && otherEvents.length === 0,
    onOpen: open,
  });
  const isUnlisted = values.delivery !== null && rows?.every((row) => row.id !== values.delivery);
  const details = (delivery: Delivery) =>
    delivery.id === values.delivery && webhook ? (
      <DeliveryDetails key={delivery.id} webhook={webhook} delivery={delivery} />
    ) : null;

  return (
    <>
      <DeliveryTools
        list={list}
        search={search}
        actions={
          <>
            {newer > 0 && (
              <Button variant="subtle" color="gray" leftSection={<IconArrowUp stroke={1.5} />} onClick={release}>
                {formatPlural(newer, 'newer delivery', 'newer deliveries')}
              </Button>
            )}
            <ExportButton list={list} />
          </>
        }
      />
      <SelectionBar selection={selection} what="deliveries">
        <Button
          size="xs"
          disabled={replay.isBusy}
          onClick={() => {
            replay.replayAll(selection.rowsNow());
            selection.clear();
          }}
        >
          Replay
        </Button>
      </SelectionBar>
      {replay.outcome && (
        <FailedRows
          outcome={replay.outcome}
          action={{ done: 'Replaying', verb: 'replay' }}
          countOf={(count) => formatPlural(count, 'delivery', 'deliveries')}
          keyOf={(row) => row.id}
          nameOf={nameOfDelivery}
          onDismiss={replay.dismissOutcome}
        />
      )}
      {isUnlisted && values.delivery && (
        <OpenDelivery
          key={values.delivery}
          ids={{ id, delivery_id: values.delivery }}
          columns={columns}
          refetchInterval={refetchInterval}
          details={details}
          onClose={() => open(null)}
        />
      )}
      <ListView
        list={list}
        rows={rows}
        empty={<NoDeliveries />}
        noMatches="No delivery matches these filters."
        caption="Deliveries, newest first"
        className={SELECTABLE}
        columns={[selectColumn({ selection, nameOf: nameOfDelivery, mobile: 'mark' }), ...columns]}
        isSelected={selection.has}
        rowHref={(row) => `/webhooks/${id}?delivery=${row.id}`}
        onOpen={(row) => open(row.id === values.delivery ? null : row.id)}
        expanded={details}
        pageLabels={timeLabels('desc')}
      />
    </>
  );
}

function NoDeliveries() {
  return (
    <EmptyState title="No deliveries yet">
      <p>
        Every event sent to this endpoint is listed here with its attempts and responses. Send a test event to try it.
        New deliveries appear automatically.
      </p>
    </EmptyState>
  );
}

type Held = { delivery: string | null; top: string | undefined };

/** While a delivery is open, newer ones are held back so that it doesn't move. `release` shows them. */
function useHeldRows(rows: Delivery[] | undefined, delivery: string | null) {
  const [held, setHeld] = useState<Held>({ delivery: null, top: undefined });
  const at = rows?.findIndex(({ id }) => id === held.top) ?? -1;
  const isOpenAbove = rows?.slice(0, Math.max(0, at)).some(({ id }) => id === delivery) ?? false;
  const isHolding = delivery !== null && held.delivery === delivery && at >= 0 && !isOpenAbove;
  if (rows && !isHolding && (held.delivery !== delivery || held.top !== rows[0]?.id)) {
    setHeld({ delivery, top: rows[0]?.id });
  }
  return {
    rows: isHolding ? rows?.slice(at) : rows,
    newer: isHolding ? at : 0,
    release: () => setHeld({ delivery, top: rows?.[0]?.id }),
  };
}
