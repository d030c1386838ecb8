'use client';

import { Button, Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import { trpc } from '@/components/api/trpc';
import type { Webhook } from '../../schema';
import type { useWebhookActions } from '../use-webhook-actions';
import { hostOf } from '../webhook-values';
import { ReplayFailedDialog } from './replay-failed-dialog';
import { TestMenu } from './test-menu';

const REFRESH_MS = 15_000;
/** Above this the button names no number: the API counts none. */
const MOST_COUNTED = 10;

type WebhookActsProps = { webhook: Webhook; actions: ReturnType<typeof useWebhookActions> };

export function WebhookActs({ webhook, actions }: WebhookActsProps) {
  const [opened, dialog] = useDisclosure(false);
  const { id, url, active } = webhook;
  const failed = trpc.webhooks.deliveries.useQuery(
    { id, status: 'abandoned', limit: MOST_COUNTED },
    { refetchInterval: REFRESH_MS },
  );
  const count = failed.data?.items.filter((delivery) => !delivery.is_test).length ?? 0;
  const isMore = failed.data?.pagination.has_more ?? false;

  return (
    <>
      <Switch
        className="head-switch"
        label="On"
        aria-label={`${hostOf(url)} is on`}
        checked={active}
        onChange={(event) => actions.switchTo(webhook, event.currentTarget.checked)}
      />
      <Button
        className="head-replay"
        leftSection={<IconRefresh stroke={1.5} />}
        disabled={count === 0 && !isMore}
        onClick={dialog.open}
      >
        {isMore || count === 0 ? 'Replay failed' : `Replay ${count} failed`}
      </Button>
      <TestMenu webhook={webhook} say={actions.say} />
      <ReplayFailedDialog id={id} opened={opened} onClose={dialog.close} say={actions.say} />
    </>
  );
}
