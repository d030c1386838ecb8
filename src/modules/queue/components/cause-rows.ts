import type { Status } from '@/components/marks/status-mark';
import type { QueueSummary } from '../schema';
import { reasonFor } from './queue-labels';

export type CauseRow = {
  key: string;
  status: Status;
  label: string;
  count: number;
  /** Whether the messages share their sender or their recipient. */
  by: 'from' | 'to' | null;
  address: string | null;
  oldestAt: string;
  /** When the first of them is given up, if that is known. */
  expiresAt: string | null;
  action: { label: string; href: string } | null;
  /** The list of these messages. */
  href: string;
};

/**
 * The causes that several messages share, and those that an admin can stop: suspended senders and messages that aren't tried
 * first, then full mailboxes, and of each kind those whose messages expire first.
 */
export function causeRows({ causes, suspended_senders: senders }: QueueSummary, canSeeServices: boolean): CauseRow[] {
  const suspended = senders.map(
    ({ from, mailbox_id: id, count, oldest_arrived_at: oldestAt, first_expires_at: expiresAt }): CauseRow => ({
      key: `from ${from}`,
      status: 'failed',
      label: 'Sender suspended',
      count,
      by: 'from',
      address: from,
      oldestAt,
      expiresAt,
      action: { label: 'Check for misuse', href: `/mailboxes/${id}/misuse` },
      href: `/queue?${new URLSearchParams({ from })}`,
    }),
  );
  const others = causes
    .filter(({ to, count }) => to === null || count > 1)
    .map(
      ({ to, reason, count, oldest_arrived_at: oldestAt, first_expires_at: expiresAt, mailbox_id: id }): CauseRow => ({
        key: `${to} ${reason}`,
        status: to === null ? 'warning' : 'deferred',
        label: to === null ? 'Not tried' : reasonFor(reason ?? '', to),
        count,
        by: to === null ? null : 'to',
        address: to,
        oldestAt,
        expiresAt,
        action: id === null ? null : { label: 'Review mailbox', href: `/mailboxes/${id}` },
        href: `/queue?${new URLSearchParams(to === null ? { queue: 'active' } : { to })}`,
      }),
    );
  const checkServices = canSeeServices ? { label: 'Check services', href: '/system/services' } : null;
  const untried = others.filter(({ by }) => by === null).map((row) => ({ ...row, action: checkServices }));
  const tried = others.filter(({ by }) => by !== null);
  return [
    ...suspended,
    ...untried,
    ...tried.toSorted((one, other) => fixableFirst(one, other) || byExpiry(one, other)),
  ];
}

function fixableFirst(one: CauseRow, other: CauseRow): number {
  return Number(one.action === null) - Number(other.action === null);
}

function byExpiry(one: CauseRow, other: CauseRow): number {
  const timeOf = ({ expiresAt }: CauseRow) => (expiresAt === null ? Number.MAX_VALUE : Date.parse(expiresAt));
  return timeOf(one) - timeOf(other);
}
