'use client';

import dynamic from 'next/dynamic';
import { parseAsString, useQueryState } from 'nuqs';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { AbuseFigures } from './abuse-figures';
import { Alerts } from './alerts';
import { Senders, usePrefetchSenders } from './senders';

const Thresholds = dynamic(() => import('./thresholds').then((module) => module.Thresholds), { ssr: false });

const Notifications = dynamic(() => import('./notifications/notifications').then((module) => module.Notifications), {
  ssr: false,
});

export function AbusePage() {
  const [domain] = useQueryState('domain', parseAsString);
  usePrefetchSenders(domain ?? undefined);
  return (
    <Page>
      <PageHeader title="Abuse" description="Sending volume, alerts and rate limits" />
      <AbuseFigures />
      <Alerts domainId={domain ?? undefined}>
        <Senders domainId={domain ?? undefined}>
          <Thresholds>
            <Notifications />
          </Thresholds>
        </Senders>
      </Alerts>
    </Page>
  );
}
