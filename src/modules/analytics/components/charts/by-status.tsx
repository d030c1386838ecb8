'use client';

import dynamic from 'next/dynamic';
import { SectionHeading } from '@/components/layout/section-heading';
import { loadPart } from '@/components/load-part';
import { STATUSES } from '@/components/marks/status-mark';
import { SegmentedControl } from '@/components/segmented-control';
import { INBOUND, type ListedFigure, messagesHref, OUTBOUND } from '@/lib/messages-href';
import type { Analytics, AnalyticsPoint } from '../../schema';
import { CountLink } from '../count-link';
import { notAcceptedText, timeLabels } from '../labels';
import type { Flow } from '../use-analytics';
import { STATUS_SERIES } from './series';
import { Zoomable } from './zoomable';

const StatusChart = dynamic(() => loadPart(import('./status-chart').then((module) => module.StatusChart)), {
  ssr: false,
});

const FLOWS: Record<Flow, string> = { outbound: 'Outbound', inbound: 'Inbound' };

type ByStatusProps = {
  analytics: Analytics;
  domain: string | null;
  flow: Flow;
  onFlow: (flow: Flow) => void;
  onZoom: (span: { start: string; end: string }) => void;
  zoomHref: (point: AnalyticsPoint) => string;
};

/** Messages by time and status. Dragging over the chart zooms in. */
export function ByStatus({ analytics, domain, flow, onFlow, onZoom, zoomHref }: ByStatusProps) {
  const names: readonly ListedFigure[] = flow === 'outbound' ? OUTBOUND : INBOUND;
  return (
    <section aria-labelledby="by-status">
      <SectionHeading title="Messages" id="by-status" isUnderlined>
        <span className="quiet only-wide">Drag over the chart to zoom in</span>
        <span className="spacer" />
        <SegmentedControl label="Direction" value={flow} options={FLOWS} onChange={onFlow} />
      </SectionHeading>
      <Zoomable
        analytics={analytics}
        label={`${FLOWS[flow]} messages by time`}
        series={STATUS_SERIES[flow]}
        zoomHref={zoomHref}
        note={flow === 'outbound' ? notAcceptedText(analytics.totals) : null}
        chart={<StatusChart points={analytics.series} flow={flow} labels={timeLabels(analytics)} onZoom={onZoom} />}
        columns={names.map((name) => ({
          key: name,
          header: STATUSES[name][2],
          cell: (point) => (
            <CountLink count={point[name]} href={messagesHref(name, { start: point.at, end: point.until, domain })} />
          ),
        }))}
      />
    </section>
  );
}
