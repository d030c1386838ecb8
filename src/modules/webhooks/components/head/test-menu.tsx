'use client';

import { Button, Menu } from '@mantine/core';
import { parseAsString, useQueryStates } from 'nuqs';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { confirmLeave } from '@/components/dialogs/navigation-guard';
import { IconChevronDown, IconSend } from '@/components/icons/icons';
import { notify } from '@/components/notifications';
import { ALL_EVENTS, EVENT_TYPES } from '@/lib/event-types';
import type { Delivery, Webhook } from '../../schema';
import { lastResponse } from '../attempts/attempt-labels';

export function TestMenu({ webhook }: { webhook: Webhook }) {
  const utils = trpc.useUtils();
  const show = useShowDelivery();
  // For screen readers; the delivery that opens shows the rest.
  const [outcome, setOutcome] = useState('');
  const test = trpc.webhooks.test.useMutation({
    onSuccess: async (delivery) => {
      await utils.webhooks.invalidate();
      show(delivery.id);
      setOutcome(describe(delivery));
    },
    onError: (error) => notify({ text: 'Couldn’t send the test event', problem: toProblem(error) }),
  });
  const subscribed = EVENT_TYPES.filter((type) => isSubscribed(webhook, type));
  const others = EVENT_TYPES.filter((type) => !isSubscribed(webhook, type));

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
          <Menu.Label>Sample event, sent immediately</Menu.Label>
          {subscribed.map(item)}
          {others.length > 0 && <Menu.Label>Not subscribed</Menu.Label>}
          {others.map(item)}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function isSubscribed({ events }: Webhook, type: string): boolean {
  return events.includes(type) || events.includes(ALL_EVENTS);
}

function describe(delivery: Delivery): string {
  if (delivery.status === 'delivered') return `Test delivered: ${lastResponse(delivery)}`;
  return delivery.status === 'abandoned' ? `Test failed: ${lastResponse(delivery)}` : 'Test in progress';
}

const parsers = {
  tab: parseAsString,
  status: parseAsString,
  event: parseAsString,
  cursor: parseAsString,
  delivery: parseAsString,
};

/** Opens a new delivery. It is first in the list, so filters and the page position are cleared. */
function useShowDelivery() {
  const [, setState] = useQueryStates(parsers);
  return (delivery: string) =>
    confirmLeave(() => void setState({ tab: null, status: null, event: null, cursor: null, delivery }));
}
