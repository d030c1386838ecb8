'use client';

import dynamic from 'next/dynamic';
import { formatCount } from '@/lib/format';
import { loadPart } from '../load-part';
import { ChartAndTable, type TimeColumn } from './chart-and-table';
import type { StackedBarsProps } from './stacked-bars';
import type { Series, TimeRow } from './time-rows';

const StackedBars = dynamic(() => loadPart(import('./stacked-bars').then((module) => module.StackedBars)), {
  ssr: false,
});

type ByTimeProps = {
  /** Oldest first. */
  rows: TimeRow[];
  series: Series[];
  /** The table's columns beside the time; by default the series. */
  columns?: TimeColumn<TimeRow>[];
  timeHeader: string;
  /** The parts to show; by default the chart, and the table beside it. */
  view?: 'both' | 'chart' | 'table';
  /** The chart's props beside its series, where it doesn't show the rows of the table. */
  bars?: Omit<StackedBarsProps, 'series'>;
  label: string;
  isLow?: boolean;
};

/** Figures by time, as stacked bars, whose code is loaded apart, and as a table. */
export function ByTime({ rows, series, columns = series.map(columnOf), bars = { rows }, ...rest }: ByTimeProps) {
  return (
    <ChartAndTable
      {...rest}
      series={series}
      chart={<StackedBars {...bars} series={series} />}
      rows={rows.toReversed()}
      columns={columns}
      timeOf={({ label }) => label}
    />
  );
}

function columnOf({ name, label }: Series) {
  return { key: name, header: label, cell: ({ values }: TimeRow) => formatCount(values[name] ?? 0) };
}
