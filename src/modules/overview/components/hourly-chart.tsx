import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { ByTime } from '@/components/charts/by-time';
import type { TimeRow } from '@/components/charts/time-rows';
import { NoRows } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { STATUSES } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { SegmentedControl } from '@/components/segmented-control';
import { formatClock, formatCount, formatZone } from '@/lib/format';
import { type ListedFigure, messagesHref, OUTBOUND } from '@/lib/messages-href';
import type { Overview } from '../schema';
import classes from './hourly-chart.module.css';
import { problemScale } from './problem-scale';

const VIEWS = { chart: 'Chart', table: 'Table' } as const;
const PROBLEMS = ['deferred', 'bounced', 'failed'] as const;
const SENT = [
  { name: 'delivered', label: 'Delivered', color: 'var(--postmark)' },
  { name: 'in_transit', label: 'No result yet', color: 'var(--ink-3)' },
  { name: 'deferred', label: 'Deferred', color: 'var(--deferred)' },
  { name: 'bounced', label: 'Bounced', color: 'var(--bounced)' },
  { name: 'failed', label: 'Failed', color: 'var(--failed)' },
];
const RECEIVED = { name: 'received', label: 'Received', color: 'var(--edge)', stackId: 'received' };

type HourlyChartProps = { overview: Overview; domain: string | null };

/** The messages sent and received in each of the last 24 hours, above the line, and the problems below it. */
export function HourlyChart({ overview, domain }: HourlyChartProps) {
  const router = useRouter();
  const [view, setView] = useState<keyof typeof VIEWS>('chart');
  const { totals, series } = overview;
  const isEmpty = totals.sent + totals.failed + totals.received === 0;
  const figures: ListedFigure[] = totals.received ? [...OUTBOUND, 'received'] : [...OUTBOUND];
  const rows = series.map(rowOf);
  const scale = scaleOf(rows);
  const hrefOf = (figure: ListedFigure, { at }: TimeRow) => {
    const end = series.find((point) => point.at === at)?.until;
    return messagesHref(figure, { start: at, end, domain });
  };

  return (
    <section aria-labelledby="hours">
      <SectionHeading title="Messages by hour" id="hours">
        {view === 'chart' && !isEmpty && (
          <span className="quiet">
            Problems below the line
            {scale > 1 && `, enlarged ${scale} times`}
            {scale < 1 && `, at 1/${Math.round(1 / scale)} of the scale`}
          </span>
        )}
        <span className="spacer" />
        <SegmentedControl label="Show hours as" value={view} options={VIEWS} onChange={setView} />
      </SectionHeading>
      <div className={classes.hours}>
        {isEmpty ? (
          <NoRows>No messages in the last 24 hours.</NoRows>
        ) : (
          <ByTime
            view={view}
            rows={rows}
            series={figures.includes('received') ? [...SENT, RECEIVED] : SENT}
            bars={{
              rows: rows.map((row) => withProblemsBelow(row, scale)),
              format: (value) => formatCount(Math.abs(value) / (value < 0 ? scale : 1)),
              onOpen: (row) => router.push(hrefOf('sent', row)),
            }}
            timeHeader={formatZone()}
            label="Messages by hour, as a table"
            columns={figures.map((figure) => ({
              key: figure,
              header: STATUSES[figure][2],
              cell: (row) => {
                const count = row.values[figure] ?? 0;
                if (count === 0) return <span className="quiet">0</span>;
                return <NearLink href={hrefOf(figure, row)}>{formatCount(count)}</NearLink>;
              },
            }))}
          />
        )}
      </div>
    </section>
  );
}

function rowOf({
  at,
  sent,
  delivered,
  in_transit,
  deferred,
  bounced,
  failed,
  received,
}: Overview['series'][number]): TimeRow {
  return { at, label: formatClock(at), values: { sent, delivered, in_transit, deferred, bounced, failed, received } };
}

function withProblemsBelow(row: TimeRow, scale: number): TimeRow {
  const below = PROBLEMS.map((name) => [name, -scale * (row.values[name] ?? 0)]);
  return { ...row, values: { ...row.values, ...Object.fromEntries(below) } };
}

function scaleOf(rows: TimeRow[]): number {
  const problemsOf = ({ values }: TimeRow) => PROBLEMS.reduce((sum, name) => sum + (values[name] ?? 0), 0);
  return problemScale({
    problems: Math.max(0, ...rows.map(problemsOf)),
    delivered: Math.max(0, ...rows.map(({ values }) => values.delivered ?? 0)),
  });
}
