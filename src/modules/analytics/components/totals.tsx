import { Figures } from '@/components/layout/figures';
import { StatusMark } from '@/components/marks/status-mark';
import { SUPPRESSION_REASONS } from '@/lib/mail/suppression';
import { INBOUND, type ListedFigure, messagesHref, OUTBOUND } from '@/lib/messages-href';
import type { Analytics, AnalyticsFigures } from '../schema';
import { formatChange, formatRate, formatSeconds } from './labels';

type TotalsProps = { analytics: Analytics | undefined; domain: string | null };

/** The figures of the period, each with its change since the one before. */
export function Totals({ analytics, domain }: TotalsProps) {
  const figure = (name: ListedFigure) => ({
    key: name,
    title: <StatusMark status={name} />,
    value: analytics?.totals[name],
    caption: <Caption lines={analytics ? captionOf(name, analytics) : []} />,
    href: analytics?.totals[name] ? messagesHref(name, { ...analytics, domain }) : undefined,
  });
  const times = analytics?.totals.delivery_seconds;
  const before = analytics?.previous.totals.delivery_seconds;
  const time = (name: keyof AnalyticsFigures['delivery_seconds'], title: string) => ({
    key: name,
    title: <span className="soft">{title}</span>,
    value: times && formatSeconds(times[name]),
    caption: (
      <Caption
        lines={
          before ? [before[name] === null ? 'none delivered before' : `${formatSeconds(before[name])} before`] : []
        }
      />
    ),
  });
  return (
    <>
      <Figures figures={OUTBOUND.map(figure)} />
      <Figures
        figures={[
          ...INBOUND.map(figure),
          time('p50', 'Half delivered within'),
          time('p95', '95% within'),
          time('p99', '99% within'),
        ]}
      />
      {analytics?.suppressions !== null && (
        <Figures
          figures={SUPPRESSION_REASONS.map((reason) => ({
            key: reason,
            title: <span className="soft">{SUPPRESSED[reason]}</span>,
            value: analytics?.suppressions?.[reason],
            caption: <Caption lines={suppressedChange(reason, analytics)} />,
            href: analytics?.suppressions?.[reason] ? `/suppressions?reason=${reason}` : undefined,
          }))}
        />
      )}
    </>
  );
}

const SUPPRESSED = {
  bounce: 'Suppressed by bounces',
  complaint: 'Complaints',
  unsubscribe: 'Unsubscribed',
  manual: 'Suppressed by hand',
} as const;

function suppressedChange(reason: keyof typeof SUPPRESSED, analytics: Analytics | undefined): string[] {
  const [now, before] = [analytics?.suppressions?.[reason], analytics?.previous.suppressions?.[reason]];
  return now === undefined || before === undefined ? [] : [formatChange(now, before)];
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

const WHOLES: Partial<Record<ListedFigure, string>> = { spam: 'inbound', failed: 'all sends' };

function captionOf(name: ListedFigure, { totals, previous }: Analytics): string[] {
  const change = formatChange(totals[name], previous.totals[name]);
  if (name === 'sent' || name === 'received') return [change];
  const whole =
    name === 'spam' ? totals.received + totals.spam : name === 'failed' ? totals.sent + totals.rejected : totals.sent;
  if (whole === 0) return [change];
  return [`${formatRate(totals[name] / whole)} of ${WHOLES[name] ?? 'sent'}`, change];
}
