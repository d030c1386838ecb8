'use client';

import '@mantine/charts/styles.css';
import { LineChart } from '@mantine/charts';
import type { AnalyticsPoint } from '../../schema';
import { formatSeconds, formatTick, secondTicks, type timeLabels } from '../labels';
import { chartStyle, finishedPoints } from './chart-style';
import { PERCENTILE_SERIES } from './series';
import { tooltipOf } from './tooltip';
import { useBrush } from './use-brush';

type DeliveryChartProps = {
  points: AnalyticsPoint[];
  labels: ReturnType<typeof timeLabels>;
  onZoom: (span: { start: string; end: string }) => void;
};

export function DeliveryChart({ points, labels, onZoom }: DeliveryChartProps) {
  const brush = useBrush({ points, onZoom });
  const style = chartStyle(points, labels);
  const drawn = finishedPoints(points, new Date());
  const ticks = secondTicks(drawn.flatMap(({ delivery_seconds: { p50, p99 } }) => (p50 && p99 ? [p50, p99] : [])));
  return (
    <LineChart
      h="100%"
      data={points.map((point) => ({ at: point.at, ...(drawn.includes(point) && point.delivery_seconds) }))}
      dataKey="at"
      series={PERCENTILE_SERIES}
      withDots={points.length < 60}
      dotProps={{ r: 2 }}
      strokeWidth={1.5}
      curveType="linear"
      connectNulls
      valueFormatter={formatSeconds}
      {...style}
      // Room for the labels of the first and the last point.
      xAxisProps={{ ...style.xAxisProps, padding: { left: 24, right: 24 } }}
      yAxisProps={{
        ...style.yAxisProps,
        scale: 'log',
        ticks,
        domain: [ticks[0] ?? 'auto', ticks.at(-1) ?? 'auto'],
        tickFormatter: formatTick,
      }}
      lineProps={{ isAnimationActive: false }}
      lineChartProps={{ accessibilityLayer: false, margin: { top: 8 }, ...brush.handlers }}
      tooltipProps={tooltipOf({ labels, series: PERCENTILE_SERIES, format: formatSeconds })}
    >
      {brush.area}
    </LineChart>
  );
}
