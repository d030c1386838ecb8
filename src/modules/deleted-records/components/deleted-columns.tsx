import { Button } from '@mantine/core';
import { Cell } from '@/components/data-table/cells';
import type { ListColumn } from '@/components/data-table/data-table';
import { IconArrowBackUp } from '@/components/icons/icons';
import { TextButton } from '@/components/text/text-button';
import { CalendarDate } from '@/components/values/calendar-date';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import type { deletedRecordList } from '../lists';
import type { DeletedRecord } from '../schema';

export const KIND_LABELS: Record<DeletedRecord['kind'], string> = {
  alias: 'Alias',
  domain: 'Domain',
  mailbox: 'Mailbox',
  sieve_filter: 'Filter',
  suppression: 'Suppression',
  template: 'Template',
  webhook: 'Webhook',
};

type DeletedColumnsOptions = {
  onRestore: (record: DeletedRecord) => void;
  /** Shows only what the admin of this record deleted. */
  onFilterBy: (record: DeletedRecord) => void;
};

export function deletedColumns({
  onRestore,
  onFilterBy,
}: DeletedColumnsOptions): ListColumn<DeletedRecord, typeof deletedRecordList>[] {
  return [
    {
      header: 'Name',
      mobile: 'lead',
      skeletonWidth: 200,
      cell: ({ name }) => (
        <Cell>
          {name.includes('@') ? (
            <EmailAddress value={name} />
          ) : (
            <span className="two-lines strong" title={name}>
              {name}
            </span>
          )}
        </Cell>
      ),
    },
    {
      header: 'Kind',
      width: 96,
      mobile: 'under',
      skeletonWidth: 56,
      cell: ({ kind, deleted_at: at, restorable_until: until }) => (
        <span className="two-lines">
          {KIND_LABELS[kind]}
          <span className="only-narrow soft">
            , deleted&nbsp;
            <TimeAgo iso={at} />,
          </span>{' '}
          <span className="only-narrow soft">
            restorable until&nbsp;
            <CalendarDate iso={until} />
          </span>
        </span>
      ),
    },
    {
      key: 'deleted_at',
      header: 'Deleted',
      width: 112,
      sortBy: 'deleted_at',
      skeletonWidth: 72,
      cell: ({ deleted_at: at }) => <TimeAgo iso={at} />,
    },
    {
      header: 'By',
      width: 228,
      maxWidth: 320,
      isOptional: true,
      skeletonWidth: 140,
      cell: (record) => (
        <TextButton className="clip" title={`Filter by ${record.deleted_by.email}`} onClick={() => onFilterBy(record)}>
          <EmailAddress value={record.deleted_by.email} isLight />
        </TextButton>
      ),
    },
    {
      header: 'Restorable until',
      width: 132,
      skeletonWidth: 88,
      isOptional: true,
      className: 'soft',
      cell: ({ restorable_until: until }) => <CalendarDate iso={until} />,
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: 104,
      kind: 'tail',
      mobile: 'tail',
      skeletonWidth: 88,
      cell: (record) => (
        <Button
          size="xs"
          leftSection={<IconArrowBackUp stroke={1.5} />}
          aria-label={`Restore ${record.name}`}
          onClick={() => onRestore(record)}
        >
          Restore
        </Button>
      ),
    },
  ];
}
