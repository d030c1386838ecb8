'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { useHasRole } from '@/components/shell/use-has-role';
import { TextButton } from '@/components/text/text-button';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import { formatCount } from '@/lib/format';
import { firstRows } from '@/lib/lists';
import type { QueuedMessage, QueueSummary } from '../schema';
import { type CauseRow, causeRows } from './cause-rows';
import { NextAttempt } from './next-attempt';
import classes from './queue-causes.module.css';
import { MAX_AT_ONCE, type useQueueActions } from './use-queue-actions';

/** More are a click away, so that the list stays in view. */
const SHOWN = 3;

type QueueCausesProps = {
  summary: QueueSummary;
  actions: ReturnType<typeof useQueueActions>;
  onDelete: (messages: QueuedMessage[]) => void;
};

/** Why many messages wait, with what fixes it, above the list of each of them. */
export function QueueCauses({ summary, actions, onDelete }: QueueCausesProps) {
  const [isAll, { open: showAll }] = useDisclosure(false);
  const rows = causeRows(summary, useHasRole('super_admin') ?? false);
  if (rows.length === 0) return null;
  const shown = isAll ? rows : firstRows(rows, SHOWN);
  const hidden = rows.length - shown.length;
  return (
    <div className={classes.causes}>
      <ul aria-label="Why messages wait">
        {shown.map((cause) => (
          <Cause key={cause.key} cause={cause}>
            {cause.by === 'from' && (
              <StillRetried
                cause={cause}
                isBusy={actions.isBusy}
                read={actions.readRetried}
                onDelete={onDelete}
                onHold={(rows) => actions.actOnAll('hold', rows)}
              />
            )}
          </Cause>
        ))}
      </ul>
      {hidden > 0 && <TextButton onClick={showAll}>Show {formatCount(hidden)} more causes</TextButton>}
    </div>
  );
}

const UNTRIED = 'for over 15 minutes';

function Cause({
  cause: { status, label, count, by, address, oldestAt, expiresAt, action, href },
  children,
}: {
  cause: CauseRow;
  children: ReactNode;
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
      {children}
    </li>
  );
}

type StillRetriedProps = {
  cause: CauseRow;
  isBusy: boolean;
  read: (from: string) => Promise<QueuedMessage[]>;
  onHold: (messages: QueuedMessage[]) => void;
  onDelete: (messages: QueuedMessage[]) => void;
};

/** A suspension stops new messages only: what stops those that wait is beside it. */
function StillRetried({ cause: { address, count }, isBusy, read, onHold, onDelete }: StillRetriedProps) {
  const from = address ?? '';
  const shown = formatCount(Math.min(count, MAX_AT_ONCE));
  const act = (then: (messages: QueuedMessage[]) => void) => void read(from).then(then);
  return (
    <span className={classes.retried}>
      <span className="soft">Still being retried</span>
      <Button size="xs" disabled={isBusy} aria-label={`Hold ${shown} from ${from}`} onClick={() => act(onHold)}>
        Hold {shown}
      </Button>
      <Button
        size="xs"
        className="danger"
        disabled={isBusy}
        aria-label={`Delete ${shown} from ${from}`}
        onClick={() => act(onDelete)}
      >
        Delete {shown}
      </Button>
    </span>
  );
}
