'use client';

import { Button } from '@mantine/core';
import { trpc } from '@/components/api/trpc';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import type { MessageStatus } from '@/modules/messages/schema';
import { Lead } from '../../postcard';
import { NextSteps } from '../setup-ends';

const POLL_MS = 1_000;
/** The mail server still tries, or the log has not been read yet. */
const OPEN: MessageStatus[] = ['submitting', 'sent', 'deferred', 'uncertain'];

const TEXTS: Partial<Record<MessageStatus, [title: string, text: string]>> = {
  delivered: ['Delivered', 'The receiving server accepted the message.'],
  deferred: ['Deferred', 'The receiving server asked to wait. Your mail server will retry.'],
  bounced: ['Bounced', 'The receiving server rejected the message. Its trace shows the reply.'],
  failed: ['Failed', 'Your mail server couldn’t send the message. Its trace shows why.'],
};

const IN_SANDBOX = [
  'Delivered to the sandbox',
  'Nothing left this machine. No mail server is connected yet, so Postroom takes every message itself and shows it in the console.',
] as const;

/** The outcome of the test message, as soon as it is known. */
export function TestResult({ messageId }: { messageId: string }) {
  const list = trpc.messages.list.useQuery(
    { q: messageId, direction: 'outbound', limit: 1 },
    {
      refetchInterval: ({ state }) => {
        const status = state.data?.items[0]?.status;
        return (!status || OPEN.includes(status)) && POLL_MS;
      },
    },
  );
  const message = list.data?.items[0];
  const status = message?.status ?? 'sent';
  const isSandbox = trpc.sending.mta.useQuery({}).data?.kind === 'sandbox';
  const texts = isSandbox && status === 'delivered' ? IN_SANDBOX : TEXTS[status];
  const [title, text] = texts ?? ['Sent', 'The mail server accepted the message. Waiting for the result.'];
  return (
    <>
      <h1>{title}</h1>
      <div role="status" aria-label="Delivery">
        <Lead>
          <StatusMark status={status} shapeOnly /> {text}
        </Lead>
      </div>
      <Button
        component={NearLink}
        href={message ? `/messages/${message.id}` : `/messages?q=${encodeURIComponent(messageId)}`}
        fullWidth
      >
        View delivery status
      </Button>
      <NextSteps />
    </>
  );
}
