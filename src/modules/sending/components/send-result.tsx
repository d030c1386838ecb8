'use client';

import { Button, Group } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { trpc } from '@/components/api/trpc';
import { OutcomeMarks } from '@/components/marks/outcome-marks';
import { STATUSES, type Status, StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { DetailsList } from '@/components/text/details-list';
import { CopyIcon } from '@/components/values/copy-button';
import type { Sent } from '../schema';
import classes from './send-result.module.css';

const SINCE: Partial<Record<Status, string>> = {
  deferred: 'The receiving server did not accept it yet. The trace says why, and your mail server retries.',
  bounced: 'The receiving server rejected it. The trace says why.',
  failed: 'It could not be delivered. The trace says why.',
};

type SendResultProps = { messageId: string; to: string[]; suppressed?: Sent['suppressed'] };

export function SendResult({ messageId, to, suppressed = [] }: SendResultProps) {
  const panel = useRef<HTMLElement>(null);
  const found = trpc.messages.list.useQuery({ message_id: messageId, limit: 1 }, { refetchInterval: 3000 });
  const message = found.data?.items[0];
  const status = message?.status ?? 'sent';

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
      {message ? <OutcomeMarks message={message} /> : <StatusMark status={status} />}
      <p>
        The mail server accepted the message for {to.length === 1 ? to[0] : `${to[0]} and ${to.length - 1} more`}.{' '}
        {SINCE[status] ?? 'The trace shows what has happened since.'}
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
          href={message ? `/messages/${message.id}` : `/messages?q=${encodeURIComponent(messageId)}`}
        >
          View trace
        </Button>
      </Group>
    </section>
  );
}
