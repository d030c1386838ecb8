'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';
import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { LoadFailed } from '@/components/load-failed';
import { PageHeader } from '@/components/page-header';
import { PageTabs } from '@/components/page-tabs';
import { Page } from '@/components/shell/page';
import { ALL_EVENTS } from '@/lib/event-types';
import { Deliveries } from './deliveries/deliveries';
import { WebhookActions } from './head/webhook-actions';
import { WebhookSettings } from './settings/webhook-settings';
import { useWebhookActions } from './use-webhook-actions';
import { VerifySignature } from './verify/verify-signature';
import classes from './webhook-page.module.css';
import { WebhookStatus } from './webhook-status';
import { isFailing, urlParts } from './webhook-values';

const CRUMB = { label: 'Webhooks', href: '/webhooks' };
const REFRESH_MS = 5_000;
const TABS = ['deliveries', 'settings', 'verify', 'history'] as const;

type WebhookPageProps = {
  id: string;
  /** Who changed it, of another module. */
  history: ReactNode;
};

export function WebhookPage({ id, history }: WebhookPageProps) {
  const [tab, setTab] = useQueryState(
    'tab',
    parseAsStringLiteral(TABS).withDefault('deliveries').withOptions({ history: 'push' }),
  );
  const actions = useWebhookActions();
  const { data, isError, error, refetch } = trpc.webhooks.get.useQuery({ id }, { refetchInterval: REFRESH_MS });
  const domainId = data?.domain_id ?? null;
  const domain = trpc.domains.get.useQuery({ id: domainId ?? '' }, { enabled: domainId !== null, staleTime: 60_000 });

  if (isError && !data) {
    return <LoadFailed parent={CRUMB} title="Webhook" error={error} onRetry={() => void refetch()} />;
  }
  // The page waits for the name, which may take another line.
  const webhook = domainId === null || !domain.isPending ? data && actions.latest(data) : undefined;
  return (
    <Page>
      <PageHeader
        hasTabs
        parent={CRUMB}
        title={webhook && urlParts(webhook.url).join('')}
        mono
        description={
          webhook && (
            <>
              {(!webhook.active || isFailing(webhook)) && <WebhookStatus webhook={webhook} />}
              {webhook.name && <span className="clip">{webhook.name}</span>}
              {webhook.domain_id === null ? (
                <span>All domains</span>
              ) : (
                <span className="mono">{domain.data?.name ?? '\u00a0'}</span>
              )}
              {webhook.events.includes(ALL_EVENTS) ? (
                <span>All events</span>
              ) : (
                <code className={`${classes.events} clip`} title={webhook.events.join(' ')}>
                  {webhook.events.join(' ')}
                </code>
              )}
            </>
          )
        }
      >
        {webhook && <WebhookActions webhook={webhook} actions={actions} />}
      </PageHeader>
      <PageTabs
        label="Webhook"
        isWaiting={!webhook}
        current={tab}
        onChange={(next) => void setTab(next)}
        tabs={{
          deliveries: { title: 'Deliveries', content: () => <Deliveries id={id} webhook={webhook} /> },
          settings: {
            title: 'Settings',
            content: () => webhook && data && <WebhookSettings key={data.id} webhook={data} />,
          },
          verify: { title: 'Verify signatures', content: () => <VerifySignature /> },
          history: { title: 'History', content: () => history },
        }}
      />
    </Page>
  );
}
