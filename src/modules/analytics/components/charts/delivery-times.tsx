'use client';

import dynamic from 'next/dynamic';
import { NoRows } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { loadPart } from '@/components/load-part';
import { choicesOf } from '@/lib/lists';
import type { Analytics, AnalyticsPoint } from '../../schema';
import { formatSeconds, PERCENTILES, timeLabels } from '../labels';
import { finishedPoints } from './chart-style';
import { PERCENTILE_SERIES } from './series';
import { Zoomable } from './zoomable';

const DeliveryChart = dynamic(() => loadPart(import('./delivery-chart').then((module) => module.DeliveryChart)), {
  ssr: false,
});

type DeliveryTimesProps = {
  analytics: Analytics;
  onZoom: (span: { start: string; end: string }) => void;
  zoomHref: (point: AnalyticsPoint) => string;
};

/** How long deliveries took, from submission until a receiving server accepted the message. */
export function DeliveryTimes({ analytics, onZoom, zoomHref }: DeliveryTimesProps) {
  const { delivery_seconds: total } = analytics.totals;
  const textOf = (name: keyof typeof PERCENTILES) => `${PERCENTILES[name].toLowerCase()} ${formatSeconds(total[name])}`;
  const isLastLeftOut =
    total.p50 !== null && finishedPoints(analytics.series, new Date()).length < analytics.series.length;
  const unit = analytics.granularity === '15m' ? 'quarter of an hour' : analytics.granularity;
  const names = choicesOf(PERCENTILES);
  return (
    <section aria-labelledby="delivery-time">
      <SectionHeading title="Delivery time" id="delivery-time" isUnderlined>
        <span className="quiet">
          From submission until a receiving server accepted
          {total.p50 !== null && `: ${names.map(textOf).join(', ')}`}
          {total.p50 !== null && <span className="only-wide">. Logarithmic scale</span>}
          {isLastLeftOut && <span className="only-wide">. The current {unit} is drawn once it is over</span>}
        </span>
      </SectionHeading>
      {total.p50 === null ? (
        <NoRows>No deliveries in this period.</NoRows>
      ) : (
        <Zoomable
          analytics={analytics}
          label="Delivery time"
          series={PERCENTILE_SERIES}
          zoomHref={zoomHref}
          chart={<DeliveryChart points={analytics.series} labels={timeLabels(analytics)} onZoom={onZoom} />}
          columns={names.map((name) => ({
            key: name,
            header: PERCENTILES[name],
            cell: ({ delivery_seconds: seconds }) => formatSeconds(seconds[name]),
          }))}
        />
      )}
    </section>
  );
}
