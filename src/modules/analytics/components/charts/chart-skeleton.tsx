import { ChartAndTable } from '@/components/charts/chart-and-table';
import { SectionHeading } from '@/components/layout/section-heading';
import { Skeleton } from '@/components/marks/skeleton';
import { STATUSES } from '@/components/marks/status-mark';
import { OUTBOUND } from '@/lib/messages-href';
import classes from '../analytics.module.css';
import { STATUS_SERIES } from './series';

/** The first chart and its table while they are loading. */
export function ChartSkeleton() {
  return (
    <section aria-label="Messages, loading" aria-busy="true">
      <SectionHeading title="Messages" isUnderlined>
        <span className={classes.switchSpace} />
      </SectionHeading>
      <ChartAndTable
        label="Messages by time, loading"
        series={STATUS_SERIES.outbound}
        chart={null}
        rows={ROWS}
        columns={OUTBOUND.map((name) => ({
          key: name,
          header: STATUSES[name][2],
          cell: () => <Skeleton width={24} />,
        }))}
        timeHeader="Time"
        timeOf={() => <Skeleton width={72} />}
      />
    </section>
  );
}

const ROWS = Array.from({ length: 8 }, (_, index) => ({ at: `row-${index}` }));
