import type { Metadata } from 'next';
import { AbusePage } from '@/modules/abuse/components/abuse-page';
import { HistoryDialog } from '@/modules/audit/components/history/history-dialog';

export const metadata: Metadata = { title: 'Abuse' };

export default function Page() {
  return <AbusePage history={<HistoryDialog kind="abuse_threshold" title="History of the rate limits" />} />;
}
