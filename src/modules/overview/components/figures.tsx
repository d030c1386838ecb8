import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import type { Overview } from '../schema';

const OUTCOMES = ['sent', 'delivered', 'deferred', 'bounced', 'failed'] as const;

type Totals = Overview['totals'];

export function Figures({ totals }: { totals: Totals | undefined }) {
  return (
    <dl className="figures" aria-busy={totals === undefined}>
      {OUTCOMES.map((outcome) => (
        <div key={outcome}>
          <dt>
            <StatusMark status={outcome} />
          </dt>
          <dd>
            <b>{totals ? formatCount(totals[outcome]) : '–'}</b>
            <span>{totals ? remark(outcome, totals) : '\u00a0'}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function remark(outcome: (typeof OUTCOMES)[number], totals: Totals): string {
  if (outcome === 'sent') return totals.received === 0 ? 'in 24 hours' : `${formatCount(totals.received)} received`;
  if (totals.sent === 0) return 'nothing sent';
  if (totals[outcome] === 0) return 'none';
  const share = (100 * totals[outcome]) / totals.sent;
  return share < 0.1 ? 'under 0.1% of sent' : `${share.toFixed(share < 99.95 && share >= 0.1 ? 1 : 0)}% of sent`;
}
