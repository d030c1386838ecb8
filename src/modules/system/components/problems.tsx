import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { TimeAgo } from '@/components/values/time-ago';
import { formatPlural } from '@/lib/format';
import { valueText } from '@/lib/health/value-text';
import type { HealthCheck } from '../schema';
import { MARKS } from './check-marks';
import classes from './problems.module.css';

type ProblemsProps = { checks: HealthCheck[]; openAlerts: number };

/** What is wrong, since when, and what to do about it: the worst first. Alerts are about more than the checks. */
export function Problems({ checks, openAlerts }: ProblemsProps) {
  const problems = checks.filter(({ status }) => status !== 'ok');
  if (checks.length === 0) return null;
  const alerts = openAlerts > 0 && <NearLink href="/alerts">{formatPlural(openAlerts, 'open alert')}</NearLink>;
  if (problems.length === 0) {
    return (
      <p className={classes.fine}>
        <span role="status">
          <StatusMark status="on">All {formatPlural(checks.length, 'check')} OK</StatusMark>
        </span>
        {alerts}
      </p>
    );
  }
  return (
    <section aria-label="Problems">
      <ul className={classes.problems}>
        {problems.map(({ name, subject, title, status, value, unit, message, fix, since }) => {
          const [mark, word] = MARKS[status];
          return (
            <li key={`${name} ${subject}`}>
              <StatusMark status={mark}>{word}</StatusMark>
              <div>
                <h2>
                  {title}
                  {subject && <span className="mono"> {subject}</span>}
                </h2>
                <p>
                  {message || valueText(value, unit)}
                  {' · '}
                  started <TimeAgo iso={since} />
                </p>
                {fix && <p className="soft">{fix}</p>}
              </div>
            </li>
          );
        })}
      </ul>
      {alerts && <p className={classes.fine}>{alerts}</p>}
    </section>
  );
}
