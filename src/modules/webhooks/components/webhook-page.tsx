'use client';

import { Tabs } from '@mantine/core';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { leave } from '@/components/dialogs/leaving';
import { useReach } from '@/components/directory/use-reach';
import { NotShown } from '@/components/not-shown';
import { NoticeBar } from '@/components/notice-bar';
import { PageHead } from '@/components/page-head';
import { Page } from '@/components/shell/page';
import { ALL_EVENTS } from '@/lib/event-types';
import { Deliveries } from './deliveries/deliveries';
import { WebhookActs } from './head/webhook-acts';
import { WebhookSettings } from './settings/webhook-settings';
import { useWebhookActions } from './use-webhook-actions';
import { VerifySignature } from './verify/verify-signature';
import { WebhookState } from './webhook-state';
import { partsOf } from './webhook-values';

const CRUMB = { label: 'Webhooks', href: '/webhooks' };
const REFRESH_MS = 5_000;
const TABS = ['deliveries', 'settings', 'verify'] as const;

export function WebhookPage({ id }: { id: string }) {
  const [tab, setTab] = useQueryState(
    'tab',
    parseAsStringLiteral(TABS).withDefault('deliveries').withOptions({ history: 'push' }),
  );
  const reach = useReach();
  const actions = useWebhookActions();
  const { data, isError, error, refetch } = trpc.webhooks.get.useQuery({ id }, { refetchInterval: REFRESH_MS });

  if (isError && !data) {
    return <NotShown crumb={CRUMB} title="Webhook" error={error} onRetry={() => void refetch()} />;
  }
  const webhook = data && { ...data, active: actions.isOn(data) };
  return (
    <Page>
      <PageHead
        crumb={CRUMB}
        title={webhook ? partsOf(webhook.url).join('') : '\u00a0'}
        mono
        lede={
          webhook && (
            <>
              <WebhookState webhook={webhook} />
              {webhook.name && <span className="clip">{webhook.name}</span>}
              <span>{webhook.domain_id === null ? 'All domains' : (reach.nameOf(webhook.domain_id) ?? '\u00a0')}</span>
              {webhook.events.includes(ALL_EVENTS) ? (
                <span>All events</span>
              ) : (
                <code className="lede-events clip" title={webhook.events.join(' ')}>
                  {webhook.events.join(' ')}
                </code>
              )}
            </>
          )
        }
      >
        {webhook && <WebhookActs webhook={webhook} actions={actions} />}
      </PageHead>
      <Tabs
        className="page-tabs"
        // It loads at once, and stands there when the head above it has its height.
        data-waiting={!webhook || undefined}
        aria-busy={!webhook || undefined}
        value={tab}
        onChange={(value) =>
          leave(() => {
            actions.dismiss();
            void setTab(TABS.find((name) => name === value) ?? null);
          })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label="About this webhook">
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
          <Tabs.Tab value="verify">Verify the signature</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="deliveries">
          <Deliveries id={id} webhook={webhook} say={actions.say} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">{data && <WebhookSettings key={data.id} webhook={data} />}</Tabs.Panel>
        <Tabs.Panel value="verify">
          <VerifySignature />
        </Tabs.Panel>
      </Tabs>
      <NoticeBar notice={actions.notice} onDismiss={actions.dismiss} />
    </Page>
  );
}
