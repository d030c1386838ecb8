import { Copyable } from '@/components/data-table/cells';
import { detailsColumn } from '@/components/data-table/columns';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { selectColumn } from '@/components/selection/select-column';
import type { Selection } from '@/components/selection/use-selection';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import { formatCount } from '@/lib/format';
import type { QueuedMessage } from '../schema';
import { NextAttempt } from './next-attempt';
import { expiresSoon, isOverdue, QUEUE_LABELS, senderLabel, senderText, waitReason } from './queue-labels';
import classes from './queue-page.module.css';

type QueueColumnsOptions = {
  selection: Selection<QueuedMessage>;
  openId: string | null;
  onOpen: (id: string | null) => void;
};

export function queueColumns(options: QueueColumnsOptions): DataTableColumn<QueuedMessage>[] {
  const { selection, openId, onOpen } = options;
  return [
    selectColumn({
      selection,
      mobile: 'mark',
      nameOf: ({ queue_id: id, recipients: [first] }) => `${id}, to ${first?.address ?? 'no recipient'}`,
    }),
    {
      header: 'Status',
      width: 90,
      maxWidth: 152,
      skeletonWidth: 72,
      cell: ({ queue }) => <StatusMark status={QUEUE_LABELS[queue][0]}>{QUEUE_LABELS[queue][1]}</StatusMark>,
    },
    {
      header: 'From',
      width: 272,
      maxWidth: 336,
      kind: 'copyable',
      isOptional: true,
      skeletonWidth: 152,
      cell: ({ from }) =>
        from === '' ? (
          <span className="quiet">{senderLabel(from)}</span>
        ) : (
          <Copyable value={from} what="address">
            <EmailAddress value={from} isLight />
          </Copyable>
        ),
    },
    {
      header: 'To',
      width: 256,
      maxWidth: 336,
      kind: 'copyable',
      mobile: 'lead',
      skeletonWidth: 172,
      cell: ({ recipients: [first], recipient_count: count }) => (
        <Copyable value={first?.address ?? ''} what="address">
          {first && (
            <EmailAddress value={first.address}>
              {count > 1 && <span className="quiet">+{formatCount(count - 1)}</span>}
            </EmailAddress>
          )}
        </Copyable>
      ),
    },
    {
      header: 'Reason',
      mobile: 'under',
      skeletonWidth: 184,
      cell: (message) => {
        const reason = waitReason(message);
        const { queue, from, arrived_at: arrivedAt, expires_at: end, next_attempt_at: next, recipients } = message;
        const isSuspended = message.from_suspended && queue !== 'hold';
        return (
          <>
            <span className={`only-narrow ${classes.status}`}>
              <StatusMark status={QUEUE_LABELS[queue][0]}>{QUEUE_LABELS[queue][1]}</StatusMark>
            </span>
            <span
              className={`two-lines ${classes.reason}`}
              title={recipients.find((recipient) => recipient.reason !== null)?.reason ?? reason}
            >
              {isOverdue(message) ? <StatusMark status="warning">{reason}</StatusMark> : reason}
            </span>
            <span className={`only-narrow ${classes.sender}`}>{senderText(from)}</span>
            <span className={classes.times}>
              {isSuspended && <StatusMark status="failed">Sender suspended</StatusMark>}
              <span className="only-narrow">
                Arrived&nbsp;
                <TimeAgo iso={arrivedAt} />
              </span>
              {next && (
                <span className="only-narrow">
                  Retry&nbsp;
                  <NextAttempt at={next} />
                </span>
              )}
              {end && expiresSoon(message) && (
                <span className={classes.expires}>
                  Expires <NextAttempt at={end} due="now" />
                </span>
              )}
            </span>
          </>
        );
      },
    },
    {
      header: 'Retry',
      width: 76,
      maxWidth: 128,
      isOptional: true,
      className: 'soft',
      skeletonWidth: 64,
      cell: ({ next_attempt_at: at }) => at && <NextAttempt at={at} />,
    },
    {
      header: 'Arrived',
      width: 84,
      maxWidth: 144,
      sortBy: 'arrived_at',
      className: 'soft',
      skeletonWidth: 64,
      cell: ({ arrived_at }) => <TimeAgo iso={arrived_at} />,
    },
    detailsColumn({
      labelOf: ({ queue_id: id, recipients: [first] }) => `Details of ${id}, to ${first?.address ?? 'no recipient'}`,
      isOpen: ({ queue_id: id }) => id === openId,
      onToggle: ({ queue_id: id }) => onOpen(id === openId ? null : id),
    }),
  ];
}
