import { Figures } from '@/components/layout/figures';
import { STATUSES, StatusMark } from '@/components/marks/status-mark';
import { SUPPRESSION_REASONS } from '@/lib/mail/suppression';
import { INBOUND, messagesHref, OUTBOUND } from '@/lib/messages-href';
import { formatBefore, partOfWhole } from '@/lib/texts/figure-texts';
import type { Analytics } from '../schema';
import classes from './analytics.module.css';
import { CountLink } from './count-link';

type TotalsProps = { analytics: Analytics | undefined; domain: string | null };

/** The figures of sent messages by result, each with that of the period before, and the other figures on a line below them. */
export function Totals({ analytics, domain }: TotalsProps) {
  const { totals, suppressions, previous } = analytics ?? {};
  return (
    <>
      <Figures
        figures={OUTBOUND.map((name) => ({
          key: name,
          title: <StatusMark status={name} />,
          value: totals?.[name],
          caption: <Caption lines={analytics ? captionOf(name, analytics) : []} />,
          href: analytics?.totals[name] ? messagesHref(name, { ...analytics, domain }) : undefined,
        }))}
      />
      <dl className={classes.others}>
        {INBOUND.map((name) => (
          <Other
            key={name}
            title={STATUSES[name][2]}
            count={totals?.[name]}
            before={previous?.totals[name]}
            href={analytics ? messagesHref(name, { ...analytics, domain }) : null}
          />
        ))}
        {SUPPRESSION_REASONS.map((reason) => (
          <Other
            key={reason}
            title={SUPPRESSED[reason]}
            count={suppressions?.[reason]}
            before={previous?.suppressions?.[reason]}
            href={analytics ? suppressionsHref(reason, analytics, domain) : null}
          />
        ))}
      </dl>
    </>
  );
}

const SUPPRESSED = {
  bounce: 'Suppressed by bounces',
  complaint: 'Complaints',
  unsubscribe: 'Unsubscribed',
  manual: 'Suppressed by hand',
} as const;

/** The list of exactly the suppressions that a figure counts. */
function suppressionsHref(reason: string, { start, end }: Analytics, domain: string | null): string {
  const since = new Date(start).toISOString();
  const until = new Date(end).toISOString();
  return `/suppressions?${new URLSearchParams({ ...(domain && { domain }), reason, since, until })}`;
}

type OtherProps = { title: string; count: number | undefined; before: number | undefined; href: string | null };

function Other({ title, count, before, href }: OtherProps) {
  return (
    <div title={before === undefined ? undefined : previously(before)}>
      <dt>{title}</dt>
      <dd>{count === undefined ? '–' : <CountLink count={count} href={href} />}</dd>
    </div>
  );
}

/** The figure of as many days before. */
function previously(count: number): string {
  return formatBefore(count, 'the period before');
}

/** Two lines, also while they are loading. */
function Caption({ lines }: { lines: string[] }) {
  return (
    <>
      {lines[0] ?? '\u00a0'}
      <br />
      {lines[1] ?? '\u00a0'}
    </>
  );
}

function captionOf(name: (typeof OUTBOUND)[number], { totals, previous }: Analytics): string[] {
  const before = previously(previous.totals[name]);
  const part = partOfWhole(name, totals);
  return part ? [part, before] : [before];
}
