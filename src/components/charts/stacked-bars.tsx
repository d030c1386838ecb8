'use client';

import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { formatCount } from '@/lib/format';
import type { Series, TimeRow } from './time-rows';

type StackedBarsProps = { rows: TimeRow[]; series: Series[] };

export function StackedBars({ rows, series }: StackedBarsProps) {
  return (
    <BarChart
      h={240}
      data={rows.map(({ label, values }) => ({ label, ...values }))}
      dataKey="label"
      type="stacked"
      series={series}
      valueFormatter={formatCount}
      withLegend
      legendProps={{ verticalAlign: 'top', height: 32, itemSorter: null }}
      gridAxis="x"
      tickLine="none"
      strokeDasharray="0"
      gridColor="var(--rule)"
      textColor="var(--ink-2)"
      xAxisProps={{ minTickGap: 24 }}
      yAxisProps={{ allowDecimals: false }}
      barProps={{ isAnimationActive: false, radius: 0 }}
      barChartProps={{ accessibilityLayer: false }}
    />
  );
}
