import { Copyable } from '@/components/data-table/cells';
import { detailsColumn } from '@/components/data-table/columns';
import type { ListColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { selectColumn } from '@/components/selection/select-column';
import type { Selection } from '@/components/selection/use-selection';
import { EmailAddress, Parts } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import { formatCount } from '@/lib/format';
import type { queueList } from '../lists';
import type { QueuedMessage } from '../schema';
import { NextAttempt } from './next-attempt';
import { expiresSoon, isOverdue, QUEUE_LABELS, senderLabel, senderText, waitReason } from './queue-labels';
import classes from './queue-page.module.css';

type QueueColumnsOptions = {
  selection: Selection<QueuedMessage>;
  openId: string | null;
  onOpen: (id: string | null) => void;
};

export function queueColumns(options: QueueColumnsOptions): ListColumn<QueuedMessage, typeof queueList>[] {
  const { selection, openId, onOpen } = options;
  return [
    selectColumn({
      selection,
      mobile: 'mark',
      nameOf: ({ queue_id: id, recipients: [first] }) => `${id}, to ${first?.address ?? 'no recipient'}`,
    }),
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
      width: 252,
      maxWidth: 344,
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
      cell: (message) => <Reason message={message} />,
    },
    {
      header: 'Retry',
      width: 88,
      maxWidth: 128,
      isOptional: true,
      className: 'soft',
      skeletonWidth: 64,
      cell: ({ queue, next_attempt_at: at }) => (at ? <NextAttempt at={at} /> : queue === 'hold' && 'On release'),
    },
    {
      header: 'Arrived',
      width: 88,
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

/** A message without a mark is deferred. On a phone, the cell has what the other columns show. */
function Reason({ message }: { message: QueuedMessage }) {
  const reason = waitReason(message);
  const { queue, from, recipients, next_attempt_at: next, expires_at: end } = message;
  const isSuspended = message.from_suspended && queue !== 'hold';
  return (
    <span className={classes.why}>
      {queue !== 'deferred' && <StatusMark status={QUEUE_LABELS[queue][0]}>{QUEUE_LABELS[queue][1]}</StatusMark>}
      <span
        className={`two-lines ${classes.reason}`}
        title={recipients.find((recipient) => recipient.reason !== null)?.reason ?? reason}
      >
        {isOverdue(message) ? <StatusMark status="warning">{reason}</StatusMark> : <Parts text={reason} />}
      </span>
      {isSuspended && (
        <span title="Sender suspended">
          <StatusMark status="failed">
            <span className="only-narrow">Sender suspended</span>
            <span className="only-wide">Suspended</span>
          </StatusMark>
        </span>
      )}
      <span className={`only-narrow ${classes.sender}`}>{senderText(from)}</span>
      <span className={classes.times}>
        <span className="only-narrow">
          <TimeAgo iso={message.arrived_at} />
        </span>
        {expiresSoon(message) && end !== null ? (
          <span className={classes.expires}>
            Expires <NextAttempt at={end} due="now" />
          </span>
        ) : (
          (queue === 'hold' || next) && (
            <span className="only-narrow">
              Retry&nbsp;
              {next ? <NextAttempt at={next} /> : 'on release'}
            </span>
          )
        )}
      </span>
    </span>
  );
}
