import { Fragment } from 'react';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { TimeAgo } from '@/components/values/time-ago';
import { formatAgo, formatCount, formatPlural } from '@/lib/format';
import { valueText } from '@/lib/health/value-text';
import { ROUTES } from '@/lib/routes';
import type { HealthCheck, HealthDay } from '../schema';
import { MARKS } from './check-marks';
import classes from './problems.module.css';

type ProblemsProps = { checks: HealthCheck[]; days: HealthDay[] | undefined };

/** The checks that aren't OK, each with its start and its fix: the worst first. */
export function Problems({ checks, days }: ProblemsProps) {
  const problems = checks.filter(({ status }) => status !== 'ok');
  if (checks.length === 0) return null;
  if (problems.length === 0) {
    return (
      <p className={classes.fine}>
        <span role="status">
          <StatusMark status="on">All {formatPlural(checks.length, 'check')} OK</StatusMark>
        </span>
      </p>
    );
  }
  return (
    <section aria-label="Problems">
      <ul className={classes.problems}>
        {problems.map((check) => {
          const { name, subject, title, status, value, unit, message, fix, since } = check;
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
                  {trendText(check, days)}
                  {' · '}
                  started <TimeAgo iso={since} />
                </p>
                {fix && (
                  <p className="soft">
                    <WithLinks text={fix} />
                  </p>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Within fewer hours, a share changes by chance. */
const MIN_HOURS = 3;

/** How a share has changed within the hours that are known, such as " · 1.2 points less than 6 h ago". */
function trendText({ name, subject, unit, value }: HealthCheck, days: HealthDay[] | undefined): string {
  const hours = days?.find((day) => day.name === name && day.subject === subject)?.hours ?? [];
  const [first] = hours;
  if (hours.length < MIN_HOURS || unit !== '%' || value === null || !first || first.value === null) return '';
  const change = Math.round((value - first.value) * 10) / 10;
  if (change === 0) return '';
  return ` · ${formatCount(Math.abs(change))} points ${change < 0 ? 'less' : 'more'} than ${formatAgo(first.at)}`;
}

const LINKS = ROUTES.filter(({ group }) => group === 'System');
const NAMES = new RegExp(`((?:System → )?(?:${LINKS.map(({ label }) => label).join('|')}))(?![a-z])`);

/** A text that names pages of the console, with links to them. */
function WithLinks({ text }: { text: string }) {
  return text.split(NAMES).map((part, index) => {
    const route = index % 2 === 1 && LINKS.find(({ label }) => part.endsWith(label));
    const shown = route ? <NearLink href={hrefIn(text, route.href)}>{part}</NearLink> : part;
    // biome-ignore lint/suspicious/noArrayIndexKey: a page can be named twice, and the order is fixed.
    return <Fragment key={index}>{shown}</Fragment>;
  });
}

/** The page, or of the settings those that the text is about. */
function hrefIn(text: string, href: string): string {
  return href === '/system/config' && text.includes('retention') ? `${href}?q=retention` : href;
}
