import type { Metadata } from 'next';
import { ApiKeysPage } from '@/modules/api-keys/components/api-keys-page';
import { HistoryDialog } from '@/modules/audit/components/history/history-dialog';

export const metadata: Metadata = { title: 'API keys' };

export default function Page() {
  return <ApiKeysPage history={<HistoryDialog kind="api_key" title="History of this API key" />} />;
}
