'use client';

import { keepPreviousData } from '@tanstack/react-query';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { ByTime } from '@/components/charts/by-time';
import type { TimeRow } from '@/components/charts/time-rows';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { NearLink } from '@/components/near-link';
import { SegmentedControl } from '@/components/segmented-control';
import { SettingsSkeleton } from '@/components/settings-section';
import { useTimeZone } from '@/components/values/use-time-zone';
import { formatCount, formatZone } from '@/lib/format';
import { choicesOf } from '@/lib/lists';
import { messagesHref } from '@/lib/messages-href';
import type { Analytics, AnalyticsPoint } from '../schema';
import { formatRate, timeLabels } from './labels';
import classes from './sending-rates.module.css';

const PERIODS = { '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days' } as const;
const REFRESH_MS = 60_000;
const COLUMNS = ['sent', 'delivered', 'bounced'] as const;
const LABELS = { sent: 'Sent', delivered: 'Delivered', other: 'Other', bounced: 'Bounced' };
const SERIES = [
  { name: 'delivered', label: LABELS.delivered, color: 'var(--postmark)' },
  { name: 'other', label: LABELS.other, color: 'var(--ink-3)' },
  { name: 'bounced', label: LABELS.bounced, color: 'var(--bounced)' },
];

type SendingRatesProps = { domainId: string; sender?: string };

/** The mail that a domain or an address sent, by hour or day, with its outcomes. */
export function SendingRates({ domainId, sender }: SendingRatesProps) {
  const [period, setPeriod] = useQueryState(
    'period',
    parseAsStringLiteral(choicesOf(PERIODS)).withDefault('7d').withOptions({ history: 'push' }),
  );
  const timezone = useTimeZone();
  const { data, isError, error, refetch } = trpc.analytics.get.useQuery(
    { period, timezone, domain_id: domainId, sender, limit: 1 },
    { enabled: timezone !== undefined, placeholderData: keepPreviousData, refetchInterval: REFRESH_MS },
  );
  // The figures are part of the heading, which may need a second line for them.
  if (!data && !isError) return <SettingsSkeleton heights={[336]} />;
  return (
    <section aria-labelledby="sending-rates" className={classes.rates}>
      <SectionHeading title="Sent messages" id="sending-rates" isUnderlined>
        <span className="quiet">{data && describeRates(data)}</span>
        <span className="spacer" />
        <SegmentedControl
          label="Period"
          value={period}
          options={PERIODS}
          onChange={(next) => void setPeriod(next)}
          narrow="line"
        />
      </SectionHeading>
      {isError && !data && <ErrorState what="the sent messages" error={error} onRetry={() => void refetch()} />}
      {data && data.totals.sent === 0 && (
        <EmptyState title={`No messages sent in the last ${PERIODS[period]}`}>
          <p>The chart fills as messages are sent. Choose a longer period to see earlier ones.</p>
        </EmptyState>
      )}
      {data && data.totals.sent > 0 && (
        <ByTime
          rows={data.series.map((point) => rowOf(point, timeLabels(data).brief))}
          series={SERIES}
          timeHeader={formatZone()}
          label="Sent messages by time"
          isLow
          columns={COLUMNS.map((name) => ({
            key: name,
            header: LABELS[name],
            cell: (row) => {
              const count = row.values[name] ?? 0;
              const end = data.series.find(({ at }) => at === row.at)?.until;
              if (count === 0) return <span className="quiet">0</span>;
              const where = { start: row.at, end, domain: domainId, from: sender };
              return <NearLink href={messagesHref(name, where)}>{formatCount(count)}</NearLink>;
            },
          }))}
        />
      )}
    </section>
  );
}

function rowOf({ at, sent, delivered, bounced }: AnalyticsPoint, labelOf: (at: string) => string): TimeRow {
  const values = { sent, delivered, bounced, other: Math.max(0, sent - delivered - bounced) };
  return { at, label: labelOf(at), values };
}

function describeRates({ totals }: Analytics): string {
  const { sent, delivery_rate: delivered, bounce_rate: bounced } = totals;
  if (sent === 0 || delivered === null || bounced === null) return '';
  return `${formatCount(sent)} sent, ${formatRate(delivered)} delivered, ${formatRate(bounced)} bounced`;
}
