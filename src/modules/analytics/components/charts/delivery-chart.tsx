'use client';

import '@mantine/charts/styles.css';
import { LineChart } from '@mantine/charts';
import { Legend } from '@/components/charts/legend';
import type { AnalyticsPoint } from '../../schema';
import { formatSeconds, formatTick, PERCENTILES, secondTicks, type timeLabels } from '../labels';
import { chartStyle } from './chart-style';
import { tooltipOf } from './tooltip';
import { useBrush } from './use-brush';

/** With the legend, 280 px. */
const HEIGHT = 252;
const SERIES = [
  { name: 'p50', label: PERCENTILES.p50, color: 'var(--postmark)' },
  { name: 'p95', label: PERCENTILES.p95, color: 'var(--deferred)' },
  { name: 'p99', label: PERCENTILES.p99, color: 'var(--failed)' },
];

type DeliveryChartProps = {
  points: AnalyticsPoint[];
  labels: ReturnType<typeof timeLabels>;
  onZoom: (span: { start: string; end: string }) => void;
};

export function DeliveryChart({ points, labels, onZoom }: DeliveryChartProps) {
  const brush = useBrush({ points, onZoom });
  const style = chartStyle(points, labels);
  const ticks = secondTicks(points.flatMap(({ delivery_seconds: { p50, p99 } }) => (p50 && p99 ? [p50, p99] : [])));
  return (
    <>
      <Legend series={SERIES} />
      <LineChart
        h={HEIGHT}
        data={points.map(({ at, delivery_seconds: seconds }) => ({ at, ...seconds }))}
        dataKey="at"
        series={SERIES}
        withDots={points.length < 60}
        dotProps={{ r: 2 }}
        strokeWidth={1.5}
        curveType="linear"
        connectNulls
        valueFormatter={formatSeconds}
        {...style}
        yAxisProps={{
          ...style.yAxisProps,
          scale: 'log',
          ticks,
          domain: [ticks[0] ?? 'auto', ticks.at(-1) ?? 'auto'],
          tickFormatter: formatTick,
        }}
        lineProps={{ isAnimationActive: false }}
        lineChartProps={{ accessibilityLayer: false, ...brush.handlers }}
        tooltipProps={tooltipOf({ labels, series: SERIES, format: formatSeconds })}
      >
        {brush.area}
      </LineChart>
    </>
  );
}
