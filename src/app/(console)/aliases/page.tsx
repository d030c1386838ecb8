import type { Metadata } from 'next';
import { AliasesPage } from '@/modules/aliases/components/aliases-page';
import { HistoryDialog } from '@/modules/audit/components/history/history-dialog';

export const metadata: Metadata = { title: 'Aliases' };

export default function Page() {
  return <AliasesPage history={<HistoryDialog kind="alias" title="History of this alias" />} />;
}
