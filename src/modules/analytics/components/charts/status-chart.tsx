'use client';

import '@mantine/charts/styles.css';
import { AreaChart, BarChart } from '@mantine/charts';
import { formatCount } from '@/lib/format';
import type { AnalyticsPoint } from '../../schema';
import type { timeLabels } from '../labels';
import type { Flow } from '../use-analytics';
import { chartStyle } from './chart-style';
import { STATUS_SERIES } from './series';
import { tooltipOf } from './tooltip';
import { useBrush } from './use-brush';

/** More bars would be thinner than a line. */
const MAX_BARS = 130;

type StatusChartProps = {
  points: AnalyticsPoint[];
  flow: Flow;
  labels: ReturnType<typeof timeLabels>;
  onZoom: (span: { start: string; end: string }) => void;
};

export function StatusChart({ points, flow, labels, onZoom }: StatusChartProps) {
  const brush = useBrush({ points, onZoom });
  const series = STATUS_SERIES[flow];
  const shared = {
    h: '100%',
    data: points,
    dataKey: 'at',
    type: 'stacked' as const,
    series,
    valueFormatter: formatCount,
    ...chartStyle(points, labels),
    tooltipProps: tooltipOf({ labels, series, format: formatCount }),
  };
  if (points.length > MAX_BARS) {
    return (
      <AreaChart
        {...shared}
        withDots={false}
        withGradient={false}
        fillOpacity={0.8}
        strokeWidth={0}
        curveType="step"
        areaProps={{ isAnimationActive: false }}
        areaChartProps={{ accessibilityLayer: false, margin: { top: 8 }, ...brush.handlers }}
      >
        {brush.area}
      </AreaChart>
    );
  }
  return (
    <BarChart
      {...shared}
      barProps={{ isAnimationActive: false, radius: 0 }}
      barChartProps={{ accessibilityLayer: false, margin: { top: 8 }, barCategoryGap: '20%', ...brush.handlers }}
    >
      {brush.area}
    </BarChart>
  );
}
