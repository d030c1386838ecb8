'use client';

import { Button, Group } from '@mantine/core';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { IconPlus, IconSend } from '@/components/icons/icons';
import { NearLink } from '@/components/near-link';
import { notify } from '@/components/notifications';
import type { EventType } from '@/lib/event-types';
import type { Webhook } from '@/modules/webhooks/schema';
import classes from './alert-webhooks.module.css';

const MAX_SHOWN = 50;
const EVENT: EventType = 'system.alert';

export const useAlertWebhooks = () => trpc.webhooks.list.useQuery({ active: true, event: EVENT, limit: MAX_SHOWN });

/** The webhooks that are subscribed to alerts. */
export function AlertWebhooks() {
  const list = useAlertWebhooks();
  if (list.isError) {
    return <ErrorState what="webhooks" error={list.error} onRetry={() => void list.refetch()} />;
  }
  const subscribed = list.data?.items;
  return (
    <>
      {subscribed?.length === 0 && <p className="soft">No active webhook is subscribed to alerts.</p>}
      {subscribed && subscribed.length > 0 && (
        <ul className={classes.webhooks} aria-label="Webhooks for alerts">
          {subscribed.map((webhook) => (
            <WebhookItem key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
      <Group>
        <Button
          component={NearLink}
          href={`/webhooks?new=true&event=${EVENT}`}
          leftSection={<IconPlus stroke={1.75} />}
        >
          Add webhook
        </Button>
        {list.data?.pagination.has_more && <NearLink href="/webhooks">All webhooks</NearLink>}
      </Group>
    </>
  );
}

function WebhookItem({ webhook: { id, name, url } }: { webhook: Webhook }) {
  const utils = trpc.useUtils();
  const title = name || url;
  const test = trpc.webhooks.test.useMutation({
    onSuccess: async ({ status }) => {
      await utils.webhooks.invalidate();
      notify({
        text: status === 'delivered' ? `Test alert delivered to ${title}` : `The test alert to ${title} failed`,
      });
    },
    onError: (error) => notify({ text: 'Couldn’t send the test alert', problem: toProblem(error) }),
  });
  return (
    <li>
      <NearLink className="clip" href={`/webhooks/${id}`} title={url}>
        {title}
      </NearLink>
      <Button
        leftSection={<IconSend stroke={1.5} />}
        loading={test.isPending}
        aria-label={`Send test to ${title}`}
        onClick={() => test.mutate({ id, event: EVENT })}
      >
        Send test
      </Button>
    </li>
  );
}
