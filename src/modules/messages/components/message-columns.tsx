import { Clipped, Copyable, RowLink } from '@/components/data-table/cells';
import type { ListColumn } from '@/components/data-table/data-table';
import { OutcomeMarks } from '@/components/marks/outcome-marks';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import { formatBytes } from '@/lib/format';
import { withoutDomain } from '@/lib/mail/deferral-reasons';
import type { messageList } from '../lists';
import type { MessageSummary } from '../schema';
import classes from './message-columns.module.css';

type Column = ListColumn<MessageSummary, typeof messageList>;
type OpenLink = (message: MessageSummary) => { href: string; onClick: (event: React.MouseEvent) => void };

type Options = {
  /** The peek takes half of the page. */
  isNarrow: boolean;
  /** All messages are bounced, failed or deferred, so that why is worth more room than the sender. */
  isFailed: boolean;
  link: OpenLink;
};

export function messageColumns({ isNarrow, isFailed, link }: Options): Column[] {
  const status: Column = {
    header: 'Status',
    width: 112,
    kind: 'mark',
    mobile: 'mark',
    skeletonWidth: 72,
    cell: (message) => (
      <>
        <OutcomeMarks message={message} />
        <span className={`only-narrow soft ${classes.time}`}>
          <TimeAgo iso={message.created_at} />
        </span>
      </>
    ),
  };
  const time: Column = {
    header: 'Time',
    width: 88,
    sortBy: 'created_at',
    className: 'soft',
    skeletonWidth: 64,
    cell: ({ created_at }) => <TimeAgo iso={created_at} />,
  };
  const from: Column = {
    header: 'From',
    width: 280,
    maxWidth: 344,
    kind: 'copyable',
    isOptional: true,
    skeletonWidth: 160,
    cell: ({ from: sender }) => (
      <Copyable value={sender} what="address">
        <EmailAddress value={sender} isLight />
      </Copyable>
    ),
  };
  const to: Column = {
    header: 'To',
    ...(isNarrow ? { width: 216 } : { width: 280, maxWidth: 352 }),
    kind: 'copyable',
    mobile: 'lead',
    skeletonWidth: 172,
    cell: ({ direction, from: sender, to: [first, ...others] }) => (
      <>
        <Copyable value={[first, ...others].join(', ')} what="address">
          {first && (
            <EmailAddress value={first}>
              {others.length > 0 && (
                <span className="quiet" title={others.join(', ')}>
                  +{others.length}
                </span>
              )}
            </EmailAddress>
          )}
        </Copyable>
        {direction === 'inbound' && <span className={`only-narrow soft ${classes.from}`}>{`from ${sender}`}</span>}
      </>
    ),
  };
  const subject: Column = {
    header: 'Subject',
    mobile: 'under',
    skeletonWidth: 168,
    cell: (message) => (
      <>
        {message.failure && <span className={classes.reason}>{reasonOf(message)}</span>}
        <span className={classes.subject}>
          <RowLink prefetch={false} data-row={message.id} {...link(message)}>
            <span className="clip">{message.subject || '(no subject)'}</span>
          </RowLink>
          {message.failure && (isNarrow || !isFailed) && (
            <span className={`soft ${isNarrow ? classes.below : classes.beside}`}>{reasonOf(message)}</span>
          )}
        </span>
      </>
    ),
  };
  const reason: Column = {
    header: 'Reason',
    width: 280,
    maxWidth: 400,
    isOptional: true,
    skeletonWidth: 184,
    cell: (message) => message.failure && <Clipped text={reasonOf(message)} />,
  };
  const size: Column = {
    header: 'Size',
    width: 64,
    maxWidth: 112,
    isOptional: true,
    kind: 'figure',
    className: 'soft',
    skeletonWidth: 40,
    cell: ({ size: bytes }) => formatBytes(bytes),
  };
  if (isNarrow) return [status, time, to, subject];
  return isFailed ? [status, time, to, reason, subject, size] : [status, time, from, to, subject, size];
}

/** Why it failed, without the domain that the column To shows. */
function reasonOf({ failure, to: [first] }: MessageSummary): string {
  if (!failure) return '';
  return failure.recipient === first ? withoutDomain(failure.reason, first) : failure.reason;
}
