'use client';

import { TextInput } from '@mantine/core';
import { ExportButton } from '@/components/list/export-csv';
import { ListTools } from '@/components/list/list-view';
import type { ShownList } from '@/components/list/use-list';
import { Views } from '@/components/list/views/views';
import type { QueuedMessage } from '../schema';
import { isSearchable, type QueueSearch } from './use-queue-search';

const LABELS = { from: 'From', to: 'To' };
const HINTS = {
  from: 'From: address, @domain, or <> for bounces',
  to: 'To: address or @domain',
};

type QueueToolsProps = { list: ShownList<QueuedMessage>; search: QueueSearch };

export function QueueTools({ list, search }: QueueToolsProps) {
  const { values, change } = search;
  return (
    <ListTools
      list={list}
      hasClear
      align="flex-start"
      actions={
        <>
          <Views page="queue" />
          <ExportButton list={{ ...list, what: 'queued messages' }} />
        </>
      }
    >
      {(['from', 'to'] as const).map((field) => (
        <TextInput
          key={field}
          aria-label={`${LABELS[field]}, a full address or @ and a domain`}
          placeholder={HINTS[field]}
          flex={{ base: field === 'from' ? '1 1 100%' : '1 1 200px', sm: '1 1 200px' }}
          miw={0}
          value={values[field]}
          error={isSearchable(field, values[field]) ? null : 'Enter a full address, or @ and a domain.'}
          onChange={(event) => change({ [field]: event.currentTarget.value || null })}
        />
      ))}
    </ListTools>
  );
}
