import { SectionHeading } from '@/components/layout/section-heading';
import { Skeleton } from '@/components/marks/skeleton';
import classes from '../analytics.module.css';

/** The first chart and its table while they are loading. */
export function ChartSkeleton() {
  return (
    <section aria-label="Messages, loading" aria-busy="true">
      <SectionHeading title="Messages" isUnderlined>
        <span className={classes.switchSpace} />
      </SectionHeading>
      <div className={classes.byTime}>
        <div className={classes.chart} />
        <div className={classes.times}>
          <table>
            <tbody>
              {ROWS.map((key) => (
                <tr key={key}>
                  <th>
                    <Skeleton width={72} />
                  </th>
                  <td>
                    <Skeleton width={200} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </section>
  );
}

const ROWS = Array.from({ length: 8 }, (_, index) => `row-${index}`);
