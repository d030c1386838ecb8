'use client';

import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { useMediaQuery } from '@mantine/hooks';
import { formatCount } from '@/lib/format';
import type { Series, TimeRow } from './time-rows';

/** More names take two lines on a narrow screen. */
const MAX_IN_LINE = 3;

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
  const isNarrow = useMediaQuery('(max-width: 640px)', false, { getInitialValueInEffect: false });
  const hasLine = rows.some(({ values }) => Object.values(values).some((value) => value < 0));
  return (
    <BarChart
      h={240}
      style={onOpen && { cursor: 'pointer' }}
      data={rows.map(({ label, values }) => ({ label, ...values }))}
      dataKey="label"
      series={series.map((each) => ({ stackId: 'stack', ...each }))}
      valueFormatter={format}
      referenceLines={hasLine ? [{ y: 0, color: 'var(--ink-3)' }] : undefined}
      withLegend
      legendProps={{
        verticalAlign: 'top',
        height: isNarrow && series.length > MAX_IN_LINE ? 64 : 32,
        itemSorter: null,
      }}
      gridAxis="x"
      tickLine="none"
      strokeDasharray="0"
      gridColor="var(--rule)"
      textColor="var(--ink-2)"
      xAxisProps={{ minTickGap: 24 }}
      yAxisProps={{ allowDecimals: false }}
      barProps={{ isAnimationActive: false, radius: 0 }}
      barChartProps={{ accessibilityLayer: false, stackOffset: 'sign', onClick: onOpen && open }}
    />
  );
}
