'use client';

import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { ActiveFilter, FilterButton, PeriodFilter } from '@/components/data-table/filters';
import { ListTools } from '@/components/list/list-view';
import type { ShownList } from '@/components/list/use-list';
import { SegmentedControl } from '@/components/segmented-control';
import { EVENT_TYPES } from '@/lib/event-types';
import type { Delivery } from '../../schema';
import type { DeliverySearch } from './use-delivery-search';

const STATUS_OPTIONS = {
  all: 'All',
  pending: 'Pending',
  retrying: 'Retrying',
  delivered: 'Delivered',
  abandoned: 'Abandoned',
};

type DeliveryToolsProps = { list: ShownList<Delivery>; search: DeliverySearch; actions: ReactNode };

export function DeliveryTools({ list, search: { values, change }, actions }: DeliveryToolsProps) {
  return (
    <ListTools list={list} actions={actions}>
      <SegmentedControl
        label="Status"
        value={values.status ?? 'all'}
        options={STATUS_OPTIONS}
        narrow="line"
        onChange={(status) => change({ status: status === 'all' ? null : status })}
      />
      {values.event ? (
        <ActiveFilter name="Event" value={values.event} onRemove={() => change({ event: null })} />
      ) : (
        <Menu position="bottom-start" width={200}>
          <Menu.Target>
            <FilterButton name="Event" value="any" />
          </Menu.Target>
          <Menu.Dropdown>
            {EVENT_TYPES.map((type) => (
              <Menu.Item key={type} onClick={() => change({ event: type })}>
                <code>{type}</code>
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <PeriodFilter range={values} onChange={change} />
    </ListTools>
  );
}
