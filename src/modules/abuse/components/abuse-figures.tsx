import { Figures } from '@/components/layout/figures';
import type { AbuseSummary } from '../schema';

const FIGURES: [keyof AbuseSummary, string, string][] = [
  ['sent_last_hour', 'Sent', 'in the last hour'],
  ['sent_last_24h', 'Sent', 'in 24 hours'],
  ['limited_last_24h', 'Over limit', 'rejected in 24 hours'],
  ['suspended_mailboxes', 'Suspended', 'mailboxes'],
  ['open_alerts', 'Alerts', 'open'],
];

export function AbuseFigures({ summary }: { summary: AbuseSummary | undefined }) {
  return <Figures figures={FIGURES.map(([key, title, caption]) => ({ key, title, caption, value: summary?.[key] }))} />;
}
