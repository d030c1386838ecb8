import type { ReactNode } from 'react';
import { Figures } from '@/components/layout/figures';
import { Sparkline } from '@/components/marks/sparkline';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { formatCount, formatShare } from '@/lib/format';
import { messagesHref } from '@/lib/messages-href';
import type { Overview } from '../schema';

const OUTCOMES = ['sent', 'delivered', 'deferred', 'bounced', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

const COLORS: Record<Outcome, string> = {
  sent: 'var(--ink-3)',
  delivered: 'var(--postmark)',
  deferred: 'var(--deferred)',
  bounced: 'var(--bounced)',
  failed: 'var(--failed)',
};

type OutcomeFiguresProps = { overview: Overview | undefined; domain: string | null };

/** Each figure of the last 24 hours leads to its messages, with its course by hour and its change since the day before. */
export function OutcomeFigures({ overview, domain }: OutcomeFiguresProps) {
  return (
    <Figures
      figures={OUTCOMES.map((outcome) => ({
        key: outcome,
        title: <StatusMark status={outcome} />,
        value: overview?.totals[outcome],
        caption: (
          <>
            {overview ? captionOf(outcome, overview, domain) : '\u00a0'}
            <br />
            {overview ? changeOf(overview.totals[outcome], overview.previous[outcome]) : '\u00a0'}
            <Sparkline values={overview?.series.map((hour) => hour[outcome])} color={COLORS[outcome]} />
          </>
        ),
        href: overview?.totals[outcome]
          ? messagesHref(outcome, { start: overview.since, end: overview.until, domain })
          : undefined,
      }))}
    />
  );
}

function captionOf(outcome: Outcome, { totals, since, until }: Overview, domain: string | null): ReactNode {
  const { sent, received, rejected } = totals;
  if (outcome === 'sent' && received === 0) return 'in 24 hours';
  if (outcome === 'sent') {
    const href = messagesHref('received', { start: since, end: until, domain });
    return <NearLink href={href}>{formatCount(received)} received</NearLink>;
  }
  const whole = outcome === 'failed' ? sent + rejected : sent;
  if (whole === 0) return 'none sent';
  if (totals[outcome] === 0) return 'none';
  return `${formatShare(totals[outcome], whole)} ${outcome === 'failed' ? 'of all sends' : 'of sent'}`;
}

/** Compared with the day before. */
function changeOf(value: number, before: number): ReactNode {
  if (before === 0) return 'none the day before';
  if (value === before) return 'same as the day before';
  const percent = Math.round((100 * Math.abs(value - before)) / before);
  if (percent >= 200) return `${formatCount(Number((value / before).toPrecision(2)))} times the day before`;
  return (
    <>
      {percent < 1 ? 'under 1%' : `${percent}%`} {value > before ? 'more' : 'fewer'} than{' '}
      <span className="only-wide">the day </span>before
    </>
  );
}
