'use client';

import { Button, Popover, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ActiveFilter, PeriodFilter } from '@/components/data-table/filters';
import { IconFilter } from '@/components/icons/icons';
import { ListTools } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import type { ShownList } from '@/components/list/use-list';
import { messageStatus } from '@/components/marks/outcome-marks';
import { STATUSES } from '@/components/marks/status-mark';
import { MESSAGE_STATUSES } from '@/lib/mail/outcomes';
import type { MessageSummary } from '../schema';
import { KeyName } from './key-name';
import { TemplateName, TemplatePicker } from './template-filter';
import { ANY, type MessageSearch, sinceOf } from './use-message-search';

const STATUS_OPTIONS = MESSAGE_STATUSES.map((status) => ({ value: status, label: STATUSES[messageStatus(status)][2] }));
const DIRECTIONS = [
  { value: 'outbound', label: 'Outbound' },
  { value: 'inbound', label: 'Inbound' },
];

type MessageToolsProps = { list: ShownList<MessageSummary>; search: MessageSearch };

export function MessageTools({ list, search }: MessageToolsProps) {
  const { values, change } = search;
  return (
    <ListTools list={list} hasClear>
      <SearchInput
        search={search}
        label="Search messages"
        placeholder="Address, subject or message ID"
        flex="1 1 200px"
        w="auto"
        miw={0}
      />
      <PeriodFilter
        range={{ since: sinceOf(search), until: values.until }}
        onChange={({ since, until }) => change({ since: since ?? (until ? null : ANY), until })}
      />
      {values.from && <ActiveFilter name="From" value={values.from} onRemove={() => change({ from: null })} />}
      {values.to && <ActiveFilter name="To" value={values.to} onRemove={() => change({ to: null })} />}
      {values.tag && <ActiveFilter name="Tag" value={values.tag} onRemove={() => change({ tag: null })} />}
      {values.template && (
        <ActiveFilter
          name="Template"
          value={<TemplateName id={values.template} />}
          onRemove={() => change({ template: null })}
        />
      )}
      {values.key && (
        <ActiveFilter name="API key" value={<KeyName id={values.key} />} onRemove={() => change({ key: null })} />
      )}
      {values.direction && (
        <ActiveFilter
          name="Direction"
          value={values.direction === 'inbound' ? 'Inbound' : 'Outbound'}
          onRemove={() => change({ direction: null })}
        />
      )}
      {values.accepted && <ActiveFilter name="Sent" value="Accepted" onRemove={() => change({ accepted: null })} />}
      <MoreFilters values={values} change={change} />
    </ListTools>
  );
}

function MoreFilters({ values, change }: Pick<MessageSearch, 'values' | 'change'>) {
  const [opened, popover] = useDisclosure(false);
  return (
    <Popover opened={opened} onChange={popover.toggle} position="bottom-end" width={328} trapFocus shadow="md">
      <Popover.Target>
        <Button leftSection={<IconFilter stroke={1.5} />} onClick={popover.toggle} aria-expanded={opened}>
          Filters
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Filters">
        <Stack>
          <Select
            label="Status"
            placeholder="Any"
            clearable
            data={STATUS_OPTIONS}
            value={values.status}
            onChange={(value) => change({ status: MESSAGE_STATUSES.find((status) => status === value) ?? null })}
            comboboxProps={{ withinPortal: false }}
          />
          <Select
            label="Direction"
            placeholder="Both"
            clearable
            data={DIRECTIONS}
            value={values.direction}
            onChange={(value) => change({ direction: value === 'inbound' || value === 'outbound' ? value : null })}
            comboboxProps={{ withinPortal: false }}
          />
          <TextInput
            label="From (exact address)"
            className="mono-input"
            value={values.from}
            onChange={(event) => change({ from: event.currentTarget.value || null })}
          />
          <TextInput
            label="To (exact address)"
            className="mono-input"
            value={values.to}
            onChange={(event) => change({ to: event.currentTarget.value || null })}
          />
          <TextInput
            label="Tag (name:value)"
            className="mono-input"
            value={values.tag}
            onChange={(event) => change({ tag: event.currentTarget.value || null })}
          />
          <TemplatePicker value={values.template} onChange={(template) => change({ template })} />
          <Button onClick={popover.close}>Show messages</Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
