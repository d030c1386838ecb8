'use client';

import { Button, Group } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { trpc } from '@/components/api/trpc';
import { messageStatus, OutcomeMarks } from '@/components/marks/outcome-marks';
import { STATUSES, type Status, StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { DetailsList } from '@/components/text/details-list';
import { CopyIcon } from '@/components/values/copy-button';
import { formatFull } from '@/lib/format';
import type { Sent } from '../schema';
import classes from './send-result.module.css';

const SINCE: Partial<Record<Status, string>> = {
  deferred: 'The receiving server did not accept it yet. The trace says why, and your mail server retries.',
  bounced: 'The receiving server rejected it. The trace says why.',
  failed: 'It could not be delivered. The trace says why.',
};

type SendResultProps = {
  messageId: string;
  /** The id of a scheduled message. */
  id?: string;
  to: string[];
  suppressed?: Sent['suppressed'];
  sendAt?: string;
};

export function SendResult({ messageId, id, to, suppressed = [], sendAt }: SendResultProps) {
  const panel = useRef<HTMLElement>(null);
  const found = trpc.messages.list.useQuery({ message_id: messageId, limit: 1 }, { refetchInterval: 3000 });
  const message = found.data?.items[0];
  const shownId = id ?? message?.id;
  const status = message?.status ?? (sendAt ? 'scheduled' : 'sent');
  const reached = to.length === 1 ? to[0] : `${to[0]} and ${to.length - 1} more`;

  useEffect(() => {
    panel.current?.focus();
    panel.current?.scrollIntoView({ block: 'nearest' });
  }, []);

  return (
    <section
      ref={panel}
      className={classes.sent}
      data-tone={STATUSES[status][1]}
      tabIndex={-1}
      role="status"
      aria-label="Result"
    >
      {message ? <OutcomeMarks message={message} /> : <StatusMark status={messageStatus(status)} />}
      <p>
        {status === 'scheduled' && sendAt
          ? `The message to ${reached} is sent on ${formatFull(sendAt)}. You can reschedule or cancel it until then.`
          : `The mail server accepted the message for ${reached}. ${SINCE[status] ?? 'The trace shows what has happened since.'}`}
      </p>
      {suppressed.length > 0 && (
        <p>
          Not sent to {suppressed.map(({ email }) => email).join(', ')}:{' '}
          {suppressed.length === 1 ? 'this address is' : 'these addresses are'}{' '}
          <NearLink href="/suppressions">suppressed</NearLink>.
        </p>
      )}
      <DetailsList>
        <dt>Message ID</dt>
        <dd>
          <span className="mono clip" title={messageId}>
            {messageId}
          </span>
          <CopyIcon value={messageId} what="the message ID" />
        </dd>
      </DetailsList>
      <Group pt="md">
        <Button
          component={NearLink}
          variant="outline"
          href={shownId ? `/messages/${shownId}` : `/messages?q=${encodeURIComponent(messageId)}`}
        >
          {status === 'scheduled' ? 'View message' : 'View trace'}
        </Button>
      </Group>
    </section>
  );
}
