'use client';

import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { formatCount } from '@/lib/format';
import type { Series, TimeRow } from './time-rows';

export type StackedBarsProps = {
  rows: TimeRow[];
  /** Negative values are stacked below the line. */
  series: Series[];
  format?: (value: number) => string;
  onOpen?: (row: TimeRow) => void;
};

export function StackedBars({ rows, series, format = formatCount, onOpen }: StackedBarsProps) {
  const open = ({ activeTooltipIndex: index }: { activeTooltipIndex?: unknown }) => {
    const row = rows[Number(index ?? Number.NaN)];
    if (row) onOpen?.(row);
  };
  const hasLine = rows.some(({ values }) => Object.values(values).some((value) => value < 0));
  return (
    <BarChart
      h="100%"
      style={onOpen && { cursor: 'pointer' }}
      data={rows.map(({ label, values }) => ({ label, ...values }))}
      dataKey="label"
      series={series.map((each) => ({ stackId: 'stack', ...each }))}
      valueFormatter={format}
      referenceLines={hasLine ? [{ y: 0, color: 'var(--ink-3)' }] : undefined}
      gridAxis="x"
      tickLine="none"
      strokeDasharray="0"
      gridColor="var(--rule)"
      textColor="var(--ink-2)"
      xAxisProps={{ minTickGap: 24, interval: 'equidistantPreserveStart' }}
      yAxisProps={{ allowDecimals: false }}
      barProps={{ isAnimationActive: false, radius: 0 }}
      barChartProps={{
        accessibilityLayer: false,
        stackOffset: 'sign',
        onClick: onOpen && open,
        // The label of the highest line is as high as the line, and narrow bars have no gap between them.
        margin: { top: 8 },
        barGap: 1,
      }}
    />
  );
}
