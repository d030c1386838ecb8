'use client';

import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { formatCount, formatDate } from '@/lib/format';

export type Day = { at: string; good: number; bad: number };

type DayChartProps = { days: Day[]; labels: { good: string; bad: string } };

export function DayChart({ days, labels }: DayChartProps) {
  return (
    <BarChart
      h={240}
      data={days.map(({ at, good, bad }) => ({ day: formatDate(at), good, bad }))}
      dataKey="day"
      type="stacked"
      series={[
        { name: 'good', label: labels.good, color: 'var(--postmark)' },
        { name: 'bad', label: labels.bad, color: 'var(--bounced)' },
      ]}
      valueFormatter={formatCount}
      withLegend
      legendProps={{ verticalAlign: 'top', height: 32, itemSorter: null }}
      gridAxis="x"
      tickLine="none"
      strokeDasharray="0"
      gridColor="var(--rule)"
      textColor="var(--ink-2)"
      barProps={{ isAnimationActive: false, radius: 0 }}
      barChartProps={{ accessibilityLayer: false }}
    />
  );
}
