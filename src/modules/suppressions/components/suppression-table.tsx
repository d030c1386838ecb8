'use client';

import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { timeLabels } from '@/components/data-table/pagination';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { ListView } from '@/components/list/list-view';
import type { ShownList } from '@/components/list/use-list';
import { SELECTABLE, selectColumn } from '@/components/selection/select-column';
import { SelectionBar } from '@/components/selection/selection-bar';
import { useSelection } from '@/components/selection/use-selection';
import { SUPPRESSION_LABELS } from '@/lib/mail/suppression';
import type { Suppression } from '../schema';
import { suppressionColumns } from './suppression-columns';
import { useSuppressionActions } from './use-suppression-actions';

const DeleteSuppressionsDialog = lazyDialog(() =>
  import('./delete-suppressions-dialog').then((module) => module.DeleteSuppressionsDialog),
);

const DeleteMatchingDialog = lazyDialog(() =>
  import('./delete-matching-dialog').then((module) => module.DeleteMatchingDialog),
);

type SuppressionTableProps = {
  list: ShownList<Suppression>;
  /** The filters that are set, as the API takes them. */
  filters: object;
  empty: ReactNode;
  order: 'asc' | 'desc';
};

/** Suppressions, one or several of which can be deleted at once. */
export function SuppressionTable({ list, filters, empty, order }: SuppressionTableProps) {
  const actions = useSuppressionActions();
  const [isAsking, setAsking] = useState(false);
  const [deleting, setDeleting] = useState<Suppression[]>([]);
  const rows = list.query.data?.items ?? [];
  const selection = useSelection(rows, ({ id }) => id);
  const isLong = list.query.data?.pagination.has_more || list.search?.history.isFirst === false;
  return (
    <>
      <SelectionBar selection={selection} what="suppressions">
        <Button size="xs" className="danger" onClick={() => setDeleting(selection.rowsNow())}>
          Delete
        </Button>
        {selection.isAll && isLong && Object.keys(filters).length > 0 && (
          <Button size="xs" className="danger" onClick={() => setAsking(true)}>
            Delete all that match…
          </Button>
        )}
      </SelectionBar>
      <ListView
        list={list}
        empty={empty}
        noMatches="No suppressed address matches these filters."
        caption={`Suppressions, ${order === 'desc' ? 'newest' : 'oldest'} first`}
        pageLabels={timeLabels(order)}
        className={SELECTABLE}
        columns={[
          selectColumn({
            selection,
            nameOf: ({ email, reason }) => `${email}, ${SUPPRESSION_LABELS[reason]}`,
            mobile: 'mark',
          }),
          ...suppressionColumns({ onDelete: (suppression) => setDeleting([suppression]) }),
        ]}
        isSelected={selection.has}
      />
      <DeleteMatchingDialog
        opened={isAsking}
        total={list.total}
        isBusy={actions.isBusy}
        onClose={() => setAsking(false)}
        onConfirm={() =>
          actions.deleteMatching(filters, () => {
            setAsking(false);
            selection.clear();
          })
        }
      />
      <DeleteSuppressionsDialog
        opened={deleting.length > 0}
        suppressions={deleting}
        isBusy={actions.isBusy}
        onClose={() => setDeleting([])}
        onConfirm={() =>
          actions.deleteAll(deleting, () => {
            setDeleting([]);
            selection.clear();
          })
        }
      />
    </>
  );
}
