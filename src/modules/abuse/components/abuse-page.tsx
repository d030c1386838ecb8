'use client';

import { parseAsString, useQueryState } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { ErrorNote } from '@/components/ledger/notes';
import { PageHead } from '@/components/page-head';
import { Page } from '@/components/shell/page';
import { AbuseFigures } from './abuse-figures';
import { Alerts } from './alerts';
import { Senders } from './senders';
import { Thresholds } from './thresholds';

const REFRESH_MS = 30_000;

export function AbusePage() {
  const [domain] = useQueryState('domain', parseAsString);
  const summary = trpc.abuse.summary.useQuery({}, { refetchInterval: REFRESH_MS });
  return (
    <Page>
      <PageHead title="Abuse" lede="Who sends how much, and what went over its limit" />
      {summary.isError && !summary.data ? (
        <ErrorNote what="the figures" error={summary.error} onRetry={() => void summary.refetch()} />
      ) : (
        <AbuseFigures summary={summary.data} />
      )}
      <Alerts domainId={domain ?? undefined}>
        <Senders domainId={domain ?? undefined}>
          <Thresholds />
        </Senders>
      </Alerts>
    </Page>
  );
}
