'use client';

import dynamic from 'next/dynamic';
import { SectionHeading } from '@/components/layout/section-heading';
import { formatCount, formatDate } from '@/lib/format';
import type { Day } from './day-chart';
import classes from './reports.module.css';

const DayChart = dynamic(() => import('./day-chart').then((module) => module.DayChart), { ssr: false });

type ByDayProps = { days: Day[]; labels: { good: string; bad: string }; what: string };

/** Two figures by day, as a chart and as a table beside it. */
export function ByDay({ days, labels, what }: ByDayProps) {
  return (
    <section aria-labelledby="by-day">
      <SectionHeading title="By day" id="by-day" isUnderlined>
        <span className="quiet">{what}, days in UTC</span>
      </SectionHeading>
      <div className={classes.byDay}>
        <div className={classes.chart} aria-hidden="true">
          <DayChart days={days} labels={labels} />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard. */}
        <section className={classes.days} tabIndex={0} aria-label={`${what} by day`}>
          <table>
            <thead>
              <tr>
                <th>Day</th>
                <th>{labels.good}</th>
                <th>{labels.bad}</th>
              </tr>
            </thead>
            <tbody>
              {[...days].reverse().map(({ at, good, bad }) => (
                <tr key={at}>
                  <th scope="row">{formatDate(at)}</th>
                  <td>{formatCount(good)}</td>
                  <td>{formatCount(bad)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
    </section>
  );
}
