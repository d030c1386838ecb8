'use client';

import dynamic from 'next/dynamic';
import { NoRows } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import type { Analytics, AnalyticsPoint } from '../../schema';
import { formatSeconds, PERCENTILES, timeLabels } from '../labels';
import { ByTime } from './by-time';

const DeliveryChart = dynamic(() => import('./delivery-chart').then((module) => module.DeliveryChart), { ssr: false });

type DeliveryTimesProps = {
  analytics: Analytics;
  onZoom: (span: { start: string; end: string }) => void;
  zoomHref: (point: AnalyticsPoint) => string;
};

/** How long deliveries took, from submission until a receiving server accepted the message. */
export function DeliveryTimes({ analytics, onZoom, zoomHref }: DeliveryTimesProps) {
  const names = Object.keys(PERCENTILES) as (keyof typeof PERCENTILES)[];
  return (
    <section aria-labelledby="delivery-time">
      <SectionHeading title="Delivery time" id="delivery-time" isUnderlined>
        <span className="quiet">From submission until a receiving server accepted</span>
      </SectionHeading>
      {analytics.totals.delivery_seconds.p50 === null ? (
        <NoRows>No deliveries in this period.</NoRows>
      ) : (
        <ByTime
          analytics={analytics}
          what="Delivery time"
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
