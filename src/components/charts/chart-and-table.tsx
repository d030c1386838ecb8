import type { CSSProperties, ReactNode } from 'react';
import classes from './chart-and-table.module.css';
import { Legend } from './legend';
import type { Series } from './time-rows';

/** Widths of the columns of the table. */
const TIME_WIDTH = 96;
const FIGURE_WIDTH = 72;

export type TimeColumn<Row> = { key: string; header: string; cell: (row: Row) => ReactNode };

type ChartAndTableProps<Row> = {
  /** The series that the legend names. */
  series: readonly Series[];
  chart: ReactNode;
  /** The rows of the table, newest first. */
  rows: readonly Row[];
  columns: TimeColumn<Row>[];
  timeHeader: string;
  timeOf: (row: Row) => ReactNode;
  /** Below the table. */
  note?: ReactNode;
  /** Names the table, such as "Messages by day". */
  label: string;
  /** The parts to show; by default the chart, and the table beside it. */
  view?: 'both' | 'chart' | 'table';
  /** Leaves more room for what follows. Where both aren't beside each other, only the table is shown. */
  isLow?: boolean;
};

/** A chart, and the same figures as a table. */
export function ChartAndTable<Row extends { at: string }>(props: ChartAndTableProps<Row>) {
  const { series, chart, rows, columns, timeHeader, timeOf, note, label, view = 'both', isLow } = props;
  const tableWidth = `${TIME_WIDTH + columns.length * FIGURE_WIDTH}px`;
  return (
    <div
      className={classes.chartAndTable}
      data-view={view}
      data-low={isLow || undefined}
      style={{ '--table-width': tableWidth } as CSSProperties}
    >
      {view !== 'table' && (
        <div className={classes.chart} aria-hidden="true">
          <Legend series={series} />
          <div className={classes.drawing}>{chart}</div>
        </div>
      )}
      {view !== 'chart' && (
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
              {rows.map((row) => (
                <tr key={row.at}>
                  <th scope="row">{timeOf(row)}</th>
                  {columns.map(({ key, cell }) => (
                    <td key={key}>{cell(row)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {note}
    </div>
  );
}
