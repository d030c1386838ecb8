'use client';

import { useDisclosure } from '@mantine/hooks';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { TextButton } from '@/components/text/text-button';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import { formatCount } from '@/lib/format';
import type { QueueSummary } from '../schema';
import { NextAttempt } from './next-attempt';
import classes from './queue-causes.module.css';
import { reasonFor } from './queue-labels';

type CauseRow = {
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

/** More are a click away, so that the list stays in view. */
const SHOWN = 3;

/** Why many messages wait, with what fixes it, above the list of each of them. */
export function QueueCauses({ summary }: { summary: QueueSummary }) {
  const [isAll, { open: showAll }] = useDisclosure(false);
  const rows = causeRows(summary);
  if (rows.length === 0) return null;
  const hidden = isAll ? 0 : Math.max(0, rows.length - SHOWN);
  return (
    <div className={classes.causes}>
      <ul aria-label="Why messages wait">
        {rows.slice(0, rows.length - hidden).map((cause) => (
          <Cause key={cause.key} cause={cause} />
        ))}
      </ul>
      {hidden > 0 && <TextButton onClick={showAll}>Show {formatCount(hidden)} more causes</TextButton>}
    </div>
  );
}

/** The causes that several messages share, and those that an admin can stop. Causes with a fix come first. */
function causeRows({ causes, suspended_senders: senders }: QueueSummary): CauseRow[] {
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
  const untried = others.filter(({ by }) => by === null);
  const tried = others.filter(({ by }) => by !== null);
  const isFixable = ({ action }: CauseRow) => action !== null;
  return [...suspended, ...untried, ...tried.filter(isFixable), ...tried.filter((row) => !isFixable(row))];
}

const UNTRIED = 'for over 15 minutes: check the mail server’s services';

function Cause({
  cause: { status, label, count, by, address, oldestAt, expiresAt, action, href },
}: {
  cause: CauseRow;
}) {
  return (
    <li>
      <StatusMark status={status}>{label}</StatusMark>
      <NearLink className={`act ${classes.what}`} prefetch={false} href={href}>
        {formatCount(count)} {by ?? UNTRIED} {address && <EmailAddress value={address} isLight />}
      </NearLink>
      <span className={`soft ${classes.oldest}`}>
        {expiresAt ? (
          <>
            {count > 1 ? 'first expires' : 'expires'} <NextAttempt at={expiresAt} due="now" />
          </>
        ) : (
          <>
            oldest <TimeAgo iso={oldestAt} />
          </>
        )}
      </span>
      {action && (
        <NearLink className={`act ${classes.action}`} href={action.href}>
          {action.label}
        </NearLink>
      )}
    </li>
  );
}
