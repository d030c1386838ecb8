'use client';

import { Button, Switch } from '@mantine/core';
import { trpc } from '@/components/api/trpc';
import { useUrlDialog } from '@/components/dialogs/use-url-dialog';
import { IconRefresh } from '@/components/icons/icons';
import type { Webhook } from '../../schema';
import type { useWebhookActions } from '../use-webhook-actions';
import { hostOf } from '../webhook-values';
import { ReplayFailedDialog } from './replay-failed-dialog';
import { TestMenu } from './test-menu';
import classes from './webhook-actions.module.css';

const REFRESH_MS = 15_000;
/** Above this the button shows no count, since the API returns no totals. */
const MAX_COUNTED = 10;

type WebhookActionsProps = { webhook: Webhook; actions: ReturnType<typeof useWebhookActions> };

export function WebhookActions({ webhook, actions }: WebhookActionsProps) {
  const [opened, dialog] = useUrlDialog('replay');
  const { id, url, active } = webhook;
  const failed = trpc.webhooks.deliveries.useQuery(
    { id, status: 'abandoned', limit: MAX_COUNTED },
    { refetchInterval: REFRESH_MS },
  );
  const count = failed.data?.items.filter((delivery) => !delivery.is_test).length ?? 0;
  const isMore = failed.data?.pagination.has_more ?? false;

  return (
    <>
      <Switch
        classNames={{ root: classes.switch, labelWrapper: classes.labelWrapper }}
        label="Active"
        aria-label={`${hostOf(url)} is active`}
        checked={active}
        onChange={(event) => actions.setActive(webhook, event.currentTarget.checked)}
      />
      <Button
        className={classes.replay}
        leftSection={<IconRefresh stroke={1.5} />}
        disabled={count === 0 && !isMore}
        title={count === 0 && !isMore ? 'No delivery was abandoned' : undefined}
        onClick={dialog.open}
      >
        {isMore || count === 0 ? 'Replay abandoned' : `Replay ${count} abandoned`}
      </Button>
      <TestMenu webhook={webhook} />
      <ReplayFailedDialog id={id} opened={opened} onClose={dialog.close} />
    </>
  );
}
