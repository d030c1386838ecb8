import { formatCount } from '@/lib/format';
import type { AbuseSummary } from '../schema';

const FIGURES: [keyof AbuseSummary, string, string][] = [
  ['sent_last_hour', 'Sent', 'in the last hour'],
  ['sent_last_24h', 'Sent', 'in 24 hours'],
  ['limited_last_24h', 'Over limit', 'rejected in 24 hours'],
  ['suspended_mailboxes', 'Suspended', 'mailboxes'],
  ['open_alerts', 'Alerts', 'open'],
];

export function AbuseFigures({ summary }: { summary: AbuseSummary | undefined }) {
  return (
    <dl className="figures" aria-busy={summary === undefined}>
      {FIGURES.map(([name, title, remark]) => (
        <div key={name}>
          <dt>{title}</dt>
          <dd>
            <b>{summary ? formatCount(summary[name]) : '–'}</b>
            <span>{remark}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
