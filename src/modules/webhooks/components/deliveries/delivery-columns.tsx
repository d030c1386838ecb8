import { Cell, Clipped } from '@/components/data-table/cells';
import { detailsColumn } from '@/components/data-table/columns';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { Badge } from '@/components/text/badge';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import { formatPlural } from '@/lib/format';
import type { Delivery } from '../../schema';
import { lastResponse } from '../attempts/attempt-labels';
import { AttemptDots } from './attempt-dots';
import classes from './delivery-columns.module.css';
import { nameOfDelivery } from './use-replay-deliveries';

const STATUSES: Record<Delivery['status'], [Status, string]> = {
  pending: ['pending', 'Pending'],
  retrying: ['deferred', 'Retrying'],
  delivered: ['delivered', 'Delivered'],
  abandoned: ['failed', 'Abandoned'],
};

type DeliveryColumnsOptions = {
  openId: string | null;
  isInactive: boolean;
  /** Whether the webhook is subscribed to a single event. */
  hasOneEvent: boolean;
  onOpen: (id: string | null) => void;
};

export function deliveryColumns({
  openId,
  isInactive,
  hasOneEvent,
  onOpen,
}: DeliveryColumnsOptions): DataTableColumn<Delivery>[] {
  return [
    {
      header: 'Status',
      width: 116,
      kind: 'mark',
      skeletonWidth: 72,
      cell: (delivery) => <DeliveryStatus delivery={delivery} />,
    },
    {
      header: 'Event',
      width: 156,
      mobile: 'under',
      skeletonWidth: 96,
      cell: (delivery) => (
        <Cell>
          <span className="only-narrow">
            <DeliveryStatus delivery={delivery} />
          </span>
          <span className={hasOneEvent ? 'mono only-wide' : 'mono'}>{delivery.event}</span>
          <span className={`clip ${classes.response}`}>{narrowResponse(delivery)}</span>
        </Cell>
      ),
    },
    {
      header: 'Recipient',
      mobile: 'lead',
      skeletonWidth: 176,
      cell: ({ recipient, is_test }) => (
        <Cell>
          {recipient && <EmailAddress value={recipient} />}
          {is_test && <Badge>Test</Badge>}
        </Cell>
      ),
    },
    {
      header: 'Attempts',
      width: 168,
      maxWidth: 208,
      skeletonWidth: 56,
      cell: (delivery) => (
        <Cell>
          <AttemptDots delivery={delivery} />
          <span className="soft clip">
            <Next delivery={delivery} isInactive={isInactive} />
          </span>
        </Cell>
      ),
    },
    {
      header: 'Last response',
      width: 136,
      isOptional: true,
      skeletonWidth: 96,
      className: 'soft',
      cell: (delivery) => <Clipped text={lastResponse(delivery)} />,
    },
    {
      header: 'Created',
      width: 96,
      maxWidth: 144,
      kind: 'figure',
      mobile: 'side',
      skeletonWidth: 56,
      className: 'soft',
      cell: ({ created_at }) => <TimeAgo iso={created_at} />,
    },
    detailsColumn({
      labelOf: (delivery) => `Attempts for ${nameOfDelivery(delivery)}`,
      isOpen: ({ id }) => id === openId,
      onToggle: ({ id }) => onOpen(id === openId ? null : id),
    }),
  ];
}

/** The last response, and how many attempts it took if it was more than one, such as "200 OK, 2 attempts". */
function narrowResponse(delivery: Delivery): string {
  const { attempt_count: made } = delivery;
  return [lastResponse(delivery), made > 1 && formatPlural(made, 'attempt')].filter(Boolean).join(', ');
}

function DeliveryStatus({ delivery: { status, in_flight } }: { delivery: Delivery }) {
  if (in_flight) return <StatusMark status="submitting">Sending</StatusMark>;
  return <StatusMark status={STATUSES[status][0]}>{STATUSES[status][1]}</StatusMark>;
}

type NextProps = { delivery: Delivery; isInactive: boolean };

function Next({ delivery: { status, in_flight, next_attempt_at: at, is_test }, isInactive }: NextProps) {
  if (status === 'abandoned') return is_test ? '' : 'Gave up';
  if (in_flight) return '';
  if (status === 'delivered' || at === null) return '';
  if (isInactive) return 'Next when active';
  return (
    <>
      Next <TimeAgo iso={at} />
    </>
  );
}
