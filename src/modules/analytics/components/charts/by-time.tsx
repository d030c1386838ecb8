'use client';

import type { ReactNode } from 'react';
import { NearLink } from '@/components/near-link';
import { formatPlural } from '@/lib/format';
import type { Analytics, AnalyticsPoint } from '../../schema';
import classes from '../analytics.module.css';
import { timeLabels } from '../labels';

const MAX_ROWS = 300;

type Column = { key: string; header: string; cell: (point: AnalyticsPoint) => ReactNode };

type ByTimeProps = {
  analytics: Analytics;
  what: string;
  columns: Column[];
  chart: ReactNode;
  /** The address of the page for a part of the period. */
  zoomHref: (point: AnalyticsPoint) => string;
};

/** A chart, and the same figures as a table beside it. A time in the table leads to that part of the period. */
export function ByTime({ analytics, what, columns, chart, zoomHref }: ByTimeProps) {
  const { series } = analytics;
  const labels = timeLabels(analytics);
  const newest = series.slice(-MAX_ROWS).reverse();
  return (
    <div className={classes.byTime}>
      <div className={classes.chart} aria-hidden="true">
        {chart}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard. */}
      <section className={classes.times} tabIndex={0} aria-label={what}>
        <table aria-label={what}>
          <thead>
            <tr>
              <th>Time</th>
              {columns.map(({ key, header }) => (
                <th key={key}>{header}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {newest.map((point) => (
              <tr key={point.at}>
                <th scope="row">
                  {analytics.granularity === '15m' ? (
                    labels.row(point.at)
                  ) : (
                    <NearLink href={zoomHref(point)} scroll={false} title="Zoom in">
                      {labels.row(point.at)}
                    </NearLink>
                  )}
                </th>
                {columns.map(({ key, cell }) => (
                  <td key={key}>{cell(point)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {series.length > MAX_ROWS && (
          <p className="quiet">
            {formatPlural(series.length - MAX_ROWS, 'earlier row')} in the CSV export. Zoom in to see them here.
          </p>
        )}
      </section>
    </div>
  );
}
