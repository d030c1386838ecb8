'use client';

import dynamic from 'next/dynamic';
import type { ReactNode } from 'react';
import { formatCount } from '@/lib/format';
import classes from './by-time.module.css';
import { Legend } from './legend';
import type { StackedBarsProps } from './stacked-bars';
import type { Series, TimeRow } from './time-rows';

const StackedBars = dynamic(() => import('./stacked-bars').then((module) => module.StackedBars), { ssr: false });

type ByTimeProps = {
  /** Oldest first. */
  rows: TimeRow[];
  series: Series[];
  /** What the table has beside the time; by default the series. */
  columns?: { key: string; header: string; cell: (row: TimeRow) => ReactNode }[];
  timeHeader: string;
  /** What is shown; by default the chart, and the table beside it. */
  view?: 'both' | 'chart' | 'table';
  /** What the chart shows, where it isn't what the table has. */
  bars?: Omit<StackedBarsProps, 'series'>;
  /** Names the table, such as "Messages by day". */
  label: string;
};

/** Figures by time, as a chart, whose code is loaded apart, and as a table beside it. */
export function ByTime(props: ByTimeProps) {
  const { rows, series, columns = series.map(columnOf), timeHeader, view = 'both', bars = { rows }, label } = props;
  return (
    <div className={classes.byTime} data-view={view}>
      {view !== 'table' && (
        <div className={classes.chart} aria-hidden="true">
          <Legend series={series} />
          <div className={classes.bars}>
            <StackedBars {...bars} series={series} />
          </div>
        </div>
      )}
      {view !== 'chart' && <Times {...{ rows, columns, timeHeader, label }} />}
    </div>
  );
}

function Times({
  rows,
  columns,
  timeHeader,
  label,
}: Required<Pick<ByTimeProps, 'rows' | 'columns' | 'timeHeader' | 'label'>>) {
  return (
    /* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard. */
    <section className={classes.times} tabIndex={0} aria-label={label}>
      <table aria-label={label}>
        <thead>
          <tr>
            <th>{timeHeader}</th>
            {columns.map(({ key, header }) => (
              <th key={key}>{header}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map((row) => (
            <tr key={row.at}>
              <th scope="row">{row.label}</th>
              {columns.map(({ key, cell }) => (
                <td key={key}>{cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function columnOf({ name, label }: Series) {
  return { key: name, header: label, cell: ({ values }: TimeRow) => formatCount(values[name] ?? 0) };
}
