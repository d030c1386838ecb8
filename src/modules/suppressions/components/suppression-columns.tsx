import { Menu } from '@mantine/core';
import { Cell, Copyable } from '@/components/data-table/cells';
import { addedColumn } from '@/components/data-table/columns';
import type { ListColumn } from '@/components/data-table/data-table';
import { IconMail, IconTrash } from '@/components/icons/icons';
import { NearLink } from '@/components/near-link';
import { RowMenu } from '@/components/row-controls/row-menu';
import { CalendarDate } from '@/components/values/calendar-date';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import { SUPPRESSION_LABELS } from '@/lib/mail/suppression';
import type { suppressionList } from '../lists';
import type { Suppression } from '../schema';
import { briefDetail } from './suppression-values';

type SuppressionColumnsOptions = { onDelete: (suppression: Suppression) => void };

const ICON = { size: 16, stroke: 1.5 } as const;

export function suppressionColumns({
  onDelete,
}: SuppressionColumnsOptions): ListColumn<Suppression, typeof suppressionList>[] {
  return [
    {
      key: 'email',
      header: 'Address',
      kind: 'copyable',
      mobile: 'lead',
      skeletonWidth: 200,
      cell: ({ email }) => (
        <Copyable value={email} what="address">
          <Cell>
            <EmailAddress value={email} />
          </Cell>
        </Copyable>
      ),
    },
    {
      key: 'reason',
      header: 'Reason',
      width: 128,
      mobile: 'under',
      skeletonWidth: 72,
      cell: ({ reason, list, domain, expires_at: until }) => (
        <>
          {SUPPRESSION_LABELS[reason]}
          {list && <span className="soft">: {list}</span>}
          {until && (
            <span className="soft">
              {' '}
              until <CalendarDate iso={until} />
            </span>
          )}
          <span className="only-narrow soft">&nbsp;· {domain ?? 'All domains'}</span>
        </>
      ),
    },
    {
      key: 'detail',
      header: 'Detail',
      width: 208,
      maxWidth: 400,
      isOptional: true,
      skeletonWidth: 120,
      className: 'soft',
      cell: (suppression) => (
        <span className="clip" title={suppression.detail}>
          {briefDetail(suppression)}
        </span>
      ),
    },
    {
      key: 'domain',
      header: 'Applies to',
      width: 208,
      maxWidth: 280,
      isOptional: true,
      skeletonWidth: 88,
      cell: ({ domain }) =>
        domain === null ? (
          'All domains'
        ) : (
          <span className="mono clip" title={domain}>
            {domain}
          </span>
        ),
    },
    { ...addedColumn(), width: 96, mobile: 'side', cell: ({ created_at }) => <TimeAgo iso={created_at} /> },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: 44,
      kind: 'tail',
      mobile: 'tail',
      cell: (suppression) => (
        <RowMenu label={`Actions for ${suppression.email}, ${SUPPRESSION_LABELS[suppression.reason]}`}>
          {suppression.source_message_id && (
            <Menu.Item
              component={NearLink}
              href={`/messages/${suppression.source_message_id}`}
              leftSection={<IconMail {...ICON} />}
            >
              Show message
            </Menu.Item>
          )}
          <Menu.Item className="danger" leftSection={<IconTrash {...ICON} />} onClick={() => onDelete(suppression)}>
            Delete
          </Menu.Item>
        </RowMenu>
      ),
    },
  ];
}
