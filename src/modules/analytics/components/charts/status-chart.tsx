'use client';

import '@mantine/charts/styles.css';
import { AreaChart, BarChart } from '@mantine/charts';
import { Legend } from '@/components/charts/legend';
import { formatCount } from '@/lib/format';
import type { AnalyticsPoint } from '../../schema';
import type { timeLabels } from '../labels';
import type { Flow } from '../use-analytics';
import { chartStyle } from './chart-style';
import { tooltipOf } from './tooltip';
import { useBrush } from './use-brush';

/** With the legend, 280 px. */
const HEIGHT = 252;
/** More bars would be thinner than a line. */
const MAX_BARS = 130;

const SERIES = {
  outbound: [
    { name: 'delivered', label: 'Delivered', color: 'var(--chart-delivered)' },
    { name: 'in_transit', label: 'No result yet', color: 'var(--rule-strong)' },
    { name: 'deferred', label: 'Deferred', color: 'var(--deferred)' },
    { name: 'bounced', label: 'Bounced', color: 'var(--bounced)' },
    { name: 'failed', label: 'Failed', color: 'var(--failed)' },
  ],
  inbound: [
    { name: 'received', label: 'Received', color: 'var(--chart-delivered)' },
    { name: 'undelivered', label: 'Not delivered', color: 'var(--deferred)' },
    { name: 'spam', label: 'Spam', color: 'var(--edge)' },
  ],
} as const;

type StatusChartProps = {
  points: AnalyticsPoint[];
  flow: Flow;
  labels: ReturnType<typeof timeLabels>;
  onZoom: (span: { start: string; end: string }) => void;
};

export function StatusChart({ points, flow, labels, onZoom }: StatusChartProps) {
  const brush = useBrush({ points, onZoom });
  const series = [...SERIES[flow]];
  const shared = {
    h: HEIGHT,
    data: points,
    dataKey: 'at',
    type: 'stacked' as const,
    series,
    valueFormatter: formatCount,
    ...chartStyle(points, labels),
    tooltipProps: tooltipOf({ labels, series, format: formatCount }),
  };
  return (
    <>
      <Legend series={series} />
      {points.length > MAX_BARS ? (
        <AreaChart
          {...shared}
          withDots={false}
          withGradient={false}
          fillOpacity={0.8}
          strokeWidth={0}
          curveType="step"
          areaProps={{ isAnimationActive: false }}
          areaChartProps={{ accessibilityLayer: false, ...brush.handlers }}
        >
          {brush.area}
        </AreaChart>
      ) : (
        <BarChart
          {...shared}
          barProps={{ isAnimationActive: false, radius: 0 }}
          barChartProps={{ accessibilityLayer: false, barCategoryGap: '20%', ...brush.handlers }}
        >
          {brush.area}
        </BarChart>
      )}
    </>
  );
}
