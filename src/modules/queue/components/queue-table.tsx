'use client';

import { Button } from '@mantine/core';
import { timeLabels } from '@/components/data-table/pagination';
import { ListView } from '@/components/list/list-view';
import type { ShownList } from '@/components/list/use-list';
import { SELECTABLE } from '@/components/selection/select-column';
import { SelectionBar } from '@/components/selection/selection-bar';
import { useSelection } from '@/components/selection/use-selection';
import type { QueuedMessage } from '../schema';
import { queueColumns } from './queue-columns';
import { EmptyQueue } from './queue-states';
import { QueuedDetails } from './queued-details';
import type { useQueueActions } from './use-queue-actions';
import type { QueueSearch } from './use-queue-search';

type QueueTableProps = {
  list: ShownList<QueuedMessage>;
  search: QueueSearch;
  actions: ReturnType<typeof useQueueActions>;
  onDelete: (messages: QueuedMessage[]) => void;
};

export function QueueTable({ list, search, actions, onDelete }: QueueTableProps) {
  const { values } = search;
  const selection = useSelection(list.query.data?.items ?? [], ({ queue_id: id }) => id);
  const open = (id: string | null) => search.open({ open: id });

  return (
    <>
      <SelectionBar selection={selection} what="messages">
        <Button
          size="xs"
          disabled={actions.isBusy}
          onClick={() => {
            actions.actOnAll('retry', selection.rowsNow());
            selection.clear();
          }}
        >
          Retry now
        </Button>
        <Button
          size="xs"
          disabled={actions.isBusy}
          onClick={() => {
            actions.actOnAll('hold', selection.rowsNow());
            selection.clear();
          }}
        >
          Hold
        </Button>
        <Button size="xs" className="danger" disabled={actions.isBusy} onClick={() => onDelete(selection.rowsNow())}>
          Delete
        </Button>
      </SelectionBar>
      <ListView
        list={list}
        empty={<EmptyQueue />}
        noMatches="No queued message matches these filters."
        pageLabels={timeLabels(values.order)}
        caption={`Queue, ${values.order === 'asc' ? 'oldest' : 'newest'} first`}
        className={SELECTABLE}
        columns={queueColumns({ selection, openId: values.open, onOpen: open })}
        rowKey={({ queue_id: id }) => id}
        rowHref={({ queue_id: id }) => `/queue?open=${id}`}
        onOpen={({ queue_id: id }) => open(id === values.open ? null : id)}
        isSelected={selection.has}
        expanded={(row) =>
          row.queue_id === values.open ? (
            <QueuedDetails
              queued={row}
              onAction={(action) => actions.act(action, row)}
              onDelete={() => onDelete([row])}
            />
          ) : null
        }
      />
    </>
  );
}
