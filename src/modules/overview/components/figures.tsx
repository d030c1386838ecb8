import { OUTCOMES, StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import type { Overview } from '../schema';

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
  const all = Object.values(totals).reduce((sum, count) => sum + count, 0);
  if (outcome === 'sent') return totals.sent === 0 ? 'none yet' : 'accepted by the mail server';
  if (totals[outcome] === 0) return 'none';
  const share = (100 * totals[outcome]) / all;
  return share < 0.1 ? 'under 0.1% of all' : `${share === 100 ? 100 : share.toFixed(1)}% of all`;
}
