'use client';

import { Group, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { ActiveFilter, FilterButton } from '@/components/data-table/filters';
import { SegmentedControl } from '@/components/segmented-control';
import { EVENT_TYPES } from '@/lib/event-types';
import classes from './delivery-tools.module.css';
import type { DeliveryFilters } from './use-delivery-filters';

const STATUS_OPTIONS = {
  all: 'All',
  pending: 'Pending',
  retrying: 'Retrying',
  delivered: 'Delivered',
  abandoned: 'Abandoned',
};

type DeliveryToolsProps = Pick<DeliveryFilters, 'filters' | 'change'> & { children: ReactNode };

export function DeliveryTools({ filters, change, children }: DeliveryToolsProps) {
  return (
    <Group py="md" className={classes.tools}>
      <SegmentedControl
        label="Status"
        value={filters.status ?? 'all'}
        options={STATUS_OPTIONS}
        onChange={(status) => change({ status: status === 'all' ? null : status, delivery: null })}
      />
      {filters.event ? (
        <ActiveFilter name="Event" value={filters.event} onRemove={() => change({ event: null })} />
      ) : (
        <Menu position="bottom-start" width={200}>
          <Menu.Target>
            <FilterButton name="Event" value="any" />
          </Menu.Target>
          <Menu.Dropdown>
            {EVENT_TYPES.map((type) => (
              <Menu.Item key={type} onClick={() => change({ event: type, delivery: null })}>
                <code>{type}</code>
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <span className="spacer" />
      {children}
    </Group>
  );
}
