'use client';

import { Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ActiveFilter } from '@/components/data-table/filters';
import { SegmentedControl } from '@/components/segmented-control';
import { EVENT_TYPES } from '@/lib/event-types';
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
    <div className="tools delivery-tools">
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
            <button type="button" className="filter-chip">
              Event <b>any</b>
              <IconChevronDown size={16} stroke={1.5} aria-hidden="true" />
            </button>
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
    </div>
  );
}
