'use client';

import { Button } from '@mantine/core';
import { parseAsString, useQueryState } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { IconSend } from '@/components/icons/icons';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { useAttention } from '@/components/shell/navigation/use-attention';
import { Page } from '@/components/shell/page';
import { formatClock, formatZone } from '@/lib/format';
import { Checklist } from './checklist';
import { HourlyChart } from './hourly-chart';
import { LatestMessages } from './latest-messages';
import { NeedsAttention } from './needs-attention';
import { OutcomeFigures } from './outcome-figures';

const REFRESH_MS = 30_000;

export function OverviewPage() {
  const [domain] = useQueryState('domain', parseAsString);
  const overview = trpc.overview.get.useQuery({ domain_id: domain ?? undefined }, { refetchInterval: REFRESH_MS });
  const data = overview.data;
  const attention = useAttention();

  return (
    <Page>
      <PageHeader
        title="Overview"
        description={data ? `Last 24 hours, until ${formatClock(data.until)} ${formatZone()}` : 'Last 24 hours'}
      >
        <Button
          component={NearLink}
          href={domain ? `/send?test=true&domain=${domain}` : '/send?test=true'}
          variant="filled"
          leftSection={<IconSend stroke={1.75} />}
        >
          Send test
        </Button>
      </PageHeader>
      {overview.isError && !data ? (
        <ErrorState what="the overview" error={overview.error} onRetry={() => void overview.refetch()} />
      ) : (
        <>
          <OutcomeFigures overview={data} domain={domain} />
          {data && !attention.isPending && (
            <>
              {!data.checklist.has_sent && <Checklist overview={data} />}
              {attention.data && <NeedsAttention overview={data} attention={attention.data} domain={domain} />}
              {data.checklist.has_sent && <Checklist overview={data} />}
              <HourlyChart overview={data} domain={domain} />
              <LatestMessages messages={data.latest} />
            </>
          )}
        </>
      )}
    </Page>
  );
}
