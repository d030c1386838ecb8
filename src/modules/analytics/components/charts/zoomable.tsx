'use client';

import type { ReactNode } from 'react';
import { ChartAndTable, type TimeColumn } from '@/components/charts/chart-and-table';
import type { Series } from '@/components/charts/time-rows';
import { NearLink } from '@/components/near-link';
import { formatPlural } from '@/lib/format';
import type { Analytics, AnalyticsPoint } from '../../schema';
import classes from '../analytics.module.css';
import { timeLabels } from '../labels';

const MAX_ROWS = 300;

type ZoomableProps = {
  analytics: Analytics;
  label: string;
  series: readonly Series[];
  columns: TimeColumn<AnalyticsPoint>[];
  chart: ReactNode;
  /** The address of the page for a part of the period. */
  zoomHref: (point: AnalyticsPoint) => string;
  /** Below the table. */
  note?: string | null;
};

/** A chart in which one selects a part of the period, and a table whose times lead to their part of it. */
export function Zoomable({ analytics, label, series, columns, chart, zoomHref, note }: ZoomableProps) {
  const { series: points, granularity } = analytics;
  const labels = timeLabels(analytics);
  const left = points.length - MAX_ROWS;
  return (
    <ChartAndTable
      label={label}
      series={series}
      chart={<div className={classes.brushed}>{chart}</div>}
      rows={points.slice(-MAX_ROWS).reverse()}
      columns={columns}
      timeHeader="Time"
      timeOf={(point) =>
        granularity === '15m' ? (
          labels.row(point.at)
        ) : (
          <NearLink href={zoomHref(point)} scroll={false} title="Zoom in">
            {labels.row(point.at)}
          </NearLink>
        )
      }
      note={
        <>
          {note && <p className="quiet">{note}</p>}
          {left > 0 && (
            <p className="quiet">{formatPlural(left, 'earlier row')} in the CSV export. Zoom in to see them here.</p>
          )}
        </>
      }
    />
  );
}
