'use client';

import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlayerPause, IconPlayerPlay, IconRefresh, IconTrash } from '@/components/icons/icons';
import { NearLink } from '@/components/near-link';
import { DetailsList } from '@/components/text/details-list';
import { TextButton } from '@/components/text/text-button';
import { CopyIcon } from '@/components/values/copy-button';
import { EmailAddress } from '@/components/values/email-address';
import { formatBytes, formatCount, formatFull } from '@/lib/format';
import { explainDeferral } from '@/lib/mail/deferral-reasons';
import type { QueuedMessage } from '../schema';
import { NextAttempt } from './next-attempt';
import { senderLabel } from './queue-labels';
import classes from './queued-details.module.css';
import type { QueueAction } from './use-queue-actions';

type QueuedDetailsProps = {
  queued: QueuedMessage;
  onAction: (action: Exclude<QueueAction, 'delete'>) => void;
  onDelete: () => void;
};

export function QueuedDetails({ queued, onAction, onDelete }: QueuedDetailsProps) {
  const isHeld = queued.queue === 'hold';
  return (
    <div className={classes.queued}>
      <Group>
        {/* One button for both actions, so it keeps the focus. */}
        <Button
          leftSection={isHeld ? <IconPlayerPlay stroke={1.5} /> : <IconPlayerPause stroke={1.5} />}
          onClick={() => onAction(isHeld ? 'release' : 'hold')}
        >
          {isHeld ? 'Release' : 'Hold'}
        </Button>
        {!isHeld && (
          <Button leftSection={<IconRefresh stroke={1.5} />} onClick={() => onAction('retry')}>
            Retry
          </Button>
        )}
        <Button className="danger" leftSection={<IconTrash stroke={1.5} />} onClick={onDelete}>
          Delete
        </Button>
      </Group>
      {isHeld && (
        <p>
          <b>On hold:</b> no delivery is attempted until you release the message. If it is older than the queue lifetime
          then, it is tried once and given up.
        </p>
      )}
      <Recipients queued={queued} />
      <DetailsList>
        <dt>From</dt>
        <dd className="mono wrap">{senderLabel(queued.from)}</dd>
        <dt>Message</dt>
        <dd className="wrap">
          {queued.message ? (
            <NearLink className="act" href={`/messages/${queued.message.id}`}>
              {queued.message.subject || '(no subject)'}
            </NearLink>
          ) : (
            <span className="quiet">No record of this message</span>
          )}
        </dd>
        <dt>Queue ID</dt>
        <dd>
          <span className="mono">{queued.queue_id}</span>
          <CopyIcon value={queued.queue_id} what="the queue ID" />
        </dd>
        <dt>Arrived</dt>
        <dd>
          <span>
            {formatFull(queued.arrived_at)}, {formatBytes(queued.size)}
          </span>
        </dd>
        {queued.next_attempt_at && (
          <>
            <dt>Next attempt</dt>
            <dd>
              <NextAttempt at={queued.next_attempt_at} />
            </dd>
          </>
        )}
        {queued.expires_at && (
          <>
            <dt>Expires</dt>
            <dd>
              {formatFull(queued.expires_at)}, then it’s {queued.from === '' ? 'deleted' : 'returned to its sender'}
            </dd>
          </>
        )}
      </DetailsList>
    </div>
  );
}

/** More are a click away, so that they don't push the rest out of sight. */
const SHOWN_RECIPIENTS = 5;

function Recipients({ queued: { queue, recipients, recipient_count: count } }: { queued: QueuedMessage }) {
  const [isAll, { open: showAll }] = useDisclosure(false);
  const shown = isAll ? recipients : recipients.slice(0, SHOWN_RECIPIENTS);
  const hidden = recipients.length - shown.length;
  return (
    <div>
      <ul className={classes.recipients} aria-label="Undelivered recipients">
        {shown.map(({ address, reason, mailbox_id: mailboxId }) => {
          const explanation = explainDeferral(reason, address, mailboxId !== null);
          return (
            <li key={address}>
              <EmailAddress value={address} />
              <p>
                <b>{explanation?.title ?? 'Not tried yet'}.</b> {queue !== 'hold' && explanation?.text}{' '}
                {mailboxId && reason !== null && (
                  <NearLink className="act" href={`/mailboxes/${mailboxId}`}>
                    Open mailbox
                  </NearLink>
                )}
              </p>
              {reason && <code>{reason}</code>}
            </li>
          );
        })}
        {hidden === 0 && count > recipients.length && (
          <li className="quiet">and {formatCount(count - recipients.length)} more recipients</li>
        )}
      </ul>
      {hidden > 0 && (
        <TextButton onClick={showAll}>
          Show {formatCount(hidden)} more of {formatCount(count)} recipients
        </TextButton>
      )}
    </div>
  );
}
