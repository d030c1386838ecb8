import type { ReactNode } from 'react';
import { Figures } from '@/components/layout/figures';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { formatCount } from '@/lib/format';
import { messagesHref } from '@/lib/messages-href';
import { formatBefore, partOfWhole } from '@/lib/texts/figure-texts';
import type { Overview } from '../schema';

const OUTCOMES = ['sent', 'delivered', 'deferred', 'bounced', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

type OutcomeFiguresProps = { overview: Overview | undefined; domain: string | null };

/** Each figure of the last 24 hours leads to its messages, with its count of the day before. The chart shows its course. */
export function OutcomeFigures({ overview, domain }: OutcomeFiguresProps) {
  return (
    <Figures
      figures={OUTCOMES.map((outcome) => ({
        key: outcome,
        title: <StatusMark status={outcome} />,
        value: overview?.totals[outcome],
        caption: <CaptionLines outcome={outcome} overview={overview} domain={domain} />,
        href: overview?.totals[outcome]
          ? messagesHref(outcome, { start: overview.since, end: overview.until, domain })
          : undefined,
      }))}
    />
  );
}

type CaptionProps = OutcomeFiguresProps & { outcome: Outcome };

/** Two lines. The day before is below the share, but above another figure, which it would seem to compare with. */
function CaptionLines({ outcome, overview, domain }: CaptionProps) {
  const note = overview ? noteOf(outcome, overview, domain) : '\u00a0';
  const before = overview ? formatBefore(overview.previous[outcome], 'the day before') : '\u00a0';
  const [first, second] = outcome === 'sent' ? [before, note] : [note, before];
  return (
    <>
      {first}
      <br />
      {second}
    </>
  );
}

function noteOf(outcome: Outcome, { totals, since, until }: Overview, domain: string | null): ReactNode {
  if (outcome !== 'sent') return partOfWhole(outcome, totals) ?? 'none sent';
  if (totals.received === 0) return 'none received';
  const href = messagesHref('received', { start: since, end: until, domain });
  return <NearLink href={href}>{formatCount(totals.received)} received</NearLink>;
}
