'use client';

import dynamic from 'next/dynamic';
import { parseAsString, useQueryState } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { AbuseFigures } from './abuse-figures';
import { Alerts } from './alerts';
import { Senders } from './senders';

const Thresholds = dynamic(() => import('./thresholds').then((module) => module.Thresholds), { ssr: false });

const Notifications = dynamic(() => import('./notifications/notifications').then((module) => module.Notifications), {
  ssr: false,
});

const REFRESH_MS = 30_000;

export function AbusePage() {
  const [domain] = useQueryState('domain', parseAsString);
  const summary = trpc.abuse.summary.useQuery({}, { refetchInterval: REFRESH_MS });
  return (
    <Page>
      <PageHeader title="Abuse" description="Sending volume, alerts and rate limits" />
      {summary.isError && !summary.data ? (
        <ErrorState what="the summary" error={summary.error} onRetry={() => void summary.refetch()} />
      ) : (
        <AbuseFigures summary={summary.data} />
      )}
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
