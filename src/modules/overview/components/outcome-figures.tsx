import { Figures } from '@/components/layout/figures';
import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import type { Overview } from '../schema';

const OUTCOMES = ['sent', 'delivered', 'deferred', 'bounced', 'failed'] as const;

const OUTBOUND = ['submitting', 'sent', 'delivered', 'deferred', 'bounced', 'failed', 'uncertain'] as const;

type Totals = Overview['totals'];

type OutcomeFiguresProps = { totals: Totals | undefined; received: number | undefined };

export function OutcomeFigures({ totals, received = 0 }: OutcomeFiguresProps) {
  return (
    <Figures
      figures={OUTCOMES.map((outcome) => ({
        key: outcome,
        title: <StatusMark status={outcome} />,
        value: totals && figureOf(outcome, totals),
        caption: totals ? captionOf(outcome, totals, received) : '\u00a0',
      }))}
    />
  );
}

function figureOf(outcome: (typeof OUTCOMES)[number], totals: Totals): number {
  return outcome === 'sent' ? sum(totals) : totals[outcome];
}

function captionOf(outcome: (typeof OUTCOMES)[number], totals: Totals, received: number): string {
  const sent = sum(totals);
  if (outcome === 'sent') return received === 0 ? 'in 24 hours' : `${formatCount(received)} received`;
  if (sent === 0) return 'none sent';
  if (totals[outcome] === 0) return 'none';
  const share = (100 * totals[outcome]) / sent;
  return share < 0.1 ? 'under 0.1% of sent' : `${share === 100 ? 100 : share.toFixed(1)}% of sent`;
}

function sum(totals: Totals): number {
  return OUTBOUND.reduce((total, status) => total + totals[status], 0);
}
