'use client';

import { TextInput } from '@mantine/core';
import { ListActions } from '@/components/list/list-actions';
import { ListTools, type ListToolsProps } from '@/components/list/list-view';
import { inputOf, isSearchable, type QueueSearch } from './use-queue-search';

const LABELS = { from: 'From', to: 'To' };
const HINTS = {
  from: 'From: address, @domain, or <> for bounces',
  to: 'To: address or @domain',
};

type QueueToolsProps = { query: ListToolsProps['query']; search: QueueSearch };

export function QueueTools({ query, search }: QueueToolsProps) {
  const { values, change } = search;
  return (
    <ListTools
      query={query}
      search={search}
      align="flex-start"
      actions={<ListActions page="queue" path="/queue/export" input={inputOf(search)} what="queued messages" />}
    >
      {(['from', 'to'] as const).map((field) => (
        <TextInput
          key={field}
          aria-label={`${LABELS[field]}, a full address or @ and a domain`}
          placeholder={HINTS[field]}
          flex="1 1 200px"
          miw={0}
          value={values[field]}
          error={isSearchable(field, values[field]) ? null : 'Enter a full address, or @ and a domain.'}
          onChange={(event) => change({ [field]: event.currentTarget.value || null })}
        />
      ))}
    </ListTools>
  );
}
