'use client';

import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconRefresh, IconTrash } from '@tabler/icons-react';
import Link from 'next/link';
import { CopyIcon } from '@/components/copy-button';
import { EmailAddress } from '@/components/email-address';
import { explainDeferral } from '@/lib/deferral-reasons';
import { formatBytes, formatCount, formatFull } from '@/lib/format';
import type { QueuedMessage } from '../schema';
import { senderWords } from './queue-words';
import type { QueueAct } from './use-queue-actions';

type QueuedDetailsProps = {
  queued: QueuedMessage;
  onAct: (what: Exclude<QueueAct, 'delete'>) => void;
  onDelete: () => void;
};

export function QueuedDetails({ queued, onAct, onDelete }: QueuedDetailsProps) {
  const isHeld = queued.queue === 'hold';
  return (
    <div className="queued">
      {isHeld && (
        <p>
          <b>It is on hold:</b> it is not tried until it is released. Its time to live goes on meanwhile.
        </p>
      )}
      <Recipients queued={queued} />
      <dl className="details-list">
        <dt>From</dt>
        <dd className="mono wrap">{senderWords(queued.from)}</dd>
        <dt>Message</dt>
        <dd className="wrap">
          {queued.message ? (
            <Link className="act" href={`/messages/${queued.message.id}`}>
              {queued.message.subject || '(no subject)'}
            </Link>
          ) : (
            <span className="quiet">Postroom has no trace of this message</span>
          )}
        </dd>
        <dt>Queue id</dt>
        <dd>
          <span className="mono">{queued.queue_id}</span>
          <CopyIcon value={queued.queue_id} what="the queue id" />
        </dd>
        <dt>Arrived</dt>
        <dd>
          <span>
            {formatFull(queued.arrived_at)}, {formatBytes(queued.size)}
          </span>
        </dd>
      </dl>
      <div className="row-actions">
        {/* One button with two names, so that it keeps the focus. */}
        <Button
          leftSection={isHeld ? <IconPlayerPlay stroke={1.5} /> : <IconPlayerPause stroke={1.5} />}
          onClick={() => onAct(isHeld ? 'release' : 'hold')}
        >
          {isHeld ? 'Release' : 'Hold'}
        </Button>
        {!isHeld && (
          <Button leftSection={<IconRefresh stroke={1.5} />} onClick={() => onAct('retry')}>
            Retry now
          </Button>
        )}
        <Button className="danger" leftSection={<IconTrash stroke={1.5} />} onClick={onDelete}>
          Delete
        </Button>
      </div>
    </div>
  );
}

function Recipients({ queued: { queue, recipients, recipient_count: count } }: { queued: QueuedMessage }) {
  return (
    <ul className="waiting-for" aria-label="Recipients it waits for">
      {recipients.map(({ address, reason }) => {
        const meaning = explainDeferral(reason, address);
        return (
          <li key={address}>
            <EmailAddress value={address} />
            <p>
              <b>{meaning?.title ?? 'Not tried yet'}.</b> {queue !== 'hold' && meaning?.text}
            </p>
            {reason && <code>{reason}</code>}
          </li>
        );
      })}
      {count > recipients.length && (
        <li className="quiet">and {formatCount(count - recipients.length)} more recipients</li>
      )}
    </ul>
  );
}
