'use client';

import { Button } from '@mantine/core';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { IconDownload } from '@/components/icons/icons';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import type { Analytics, AnalyticsPoint } from '../schema';
import { Breakdown } from './breakdown';
import { ByStatus } from './charts/by-status';
import { ChartSkeleton } from './charts/chart-skeleton';
import { DeliveryTimes } from './charts/delivery-times';
import { describePeriod } from './labels';
import { PeriodTools } from './period/period-tools';
import { Totals } from './totals';
import { type AnalyticsState, useAnalytics } from './use-analytics';

export function AnalyticsPage() {
  const state = useAnalytics();
  const { values, query } = state;
  const { data, error } = query;
  return (
    <Page>
      <PageHeader title="Analytics" description={data ? describePeriod(data) : '\u00a0'}>
        <Button component="a" href={exportHref(state)} download leftSection={<IconDownload stroke={1.5} />}>
          Export CSV
        </Button>
      </PageHeader>
      <PeriodTools state={state} />
      {error && !data ? (
        <ErrorState what="analytics" error={error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          <Totals analytics={data} domain={values.domain} />
          {data ? <Sections state={state} analytics={data} /> : <ChartSkeleton />}
        </>
      )}
    </Page>
  );
}

function Sections({ state, analytics }: { state: AnalyticsState; analytics: Analytics }) {
  const { values, query, change, zoom, hrefWith } = state;
  if (isEmpty(analytics)) return <NoMessages />;
  const zoomHref = ({ at, until }: AnalyticsPoint) => hrefWith({ start: at, end: until });
  return (
    <>
      <ByStatus
        analytics={analytics}
        domain={values.domain}
        flow={values.flow}
        onFlow={(flow) => change({ flow })}
        onZoom={zoom}
        zoomHref={zoomHref}
      />
      <DeliveryTimes analytics={analytics} onZoom={zoom} zoomHref={zoomHref} />
      <Breakdown
        analytics={analytics}
        domain={values.domain}
        by={values.by}
        isStale={query.isPlaceholderData}
        onBy={(by) => change({ by })}
      />
    </>
  );
}

function NoMessages() {
  return (
    <EmptyState title="No messages in this period">
      <p>
        Messages are counted here as soon as they are sent or received. Choose a longer period, or another domain at the
        top of the page.
      </p>
    </EmptyState>
  );
}

function isEmpty({ totals }: Analytics): boolean {
  const { sent, failed, received, spam, undelivered, uncertain, submitting } = totals;
  return sent + failed + received + spam + undelivered + uncertain + submitting === 0;
}

function exportHref({ input }: AnalyticsState): string {
  const { dimension, limit, ...chosen } = input;
  const given = Object.entries(chosen).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/api/v1/analytics/export?${new URLSearchParams(given)}`;
}
