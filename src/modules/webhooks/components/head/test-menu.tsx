'use client';

import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ALL_EVENTS, EVENT_TYPES } from '@/lib/event-types';
import type { Delivery, Webhook } from '../../schema';
import { lastAnswerOf } from '../attempts/attempt-words';
import type { Say } from '../use-webhook-actions';
import { useTestedDelivery } from './use-tested-delivery';

type TestMenuProps = { webhook: Webhook; say: Say };

export function TestMenu({ webhook, say }: TestMenuProps) {
  const utils = trpc.useUtils();
  const show = useTestedDelivery();
  // What is seen of it is the delivery that opens.
  const [outcome, setOutcome] = useState('');
  const test = trpc.webhooks.test.useMutation({
    onSuccess: async (delivery) => {
      await utils.webhooks.invalidate();
      show(delivery.id);
      setOutcome(wordsOf(delivery));
    },
    onError: (error) => say('The test event could not be sent', { problem: toProblem(error) }),
  });
  const wanted = EVENT_TYPES.filter((type) => isWanted(webhook, type));
  const others = EVENT_TYPES.filter((type) => !isWanted(webhook, type));

  const item = (type: Delivery['event']) => (
    <Menu.Item key={type} onClick={() => test.mutate({ id: webhook.id, event: type })}>
      <code>{type}</code>
    </Menu.Item>
  );
  return (
    <>
      <span className="sr-only" role="status">
        {outcome}
      </span>
      <Menu width={232}>
        <Menu.Target>
          <Button
            variant="filled"
            leftSection={<IconSend stroke={1.75} />}
            rightSection={<IconChevronDown stroke={1.75} />}
            loading={test.isPending}
          >
            Send test event
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>A made-up event, sent at once</Menu.Label>
          {wanted.map(item)}
          {others.length > 0 && <Menu.Label>Not among its events</Menu.Label>}
          {others.map(item)}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function isWanted({ events }: Webhook, type: string): boolean {
  return events.includes(type) || events.includes(ALL_EVENTS);
}

function wordsOf(delivery: Delivery): string {
  if (delivery.status === 'delivered') return `The test arrived: ${lastAnswerOf(delivery)}`;
  return delivery.status === 'abandoned'
    ? `The test did not arrive: ${lastAnswerOf(delivery)}`
    : 'The test is under way';
}
