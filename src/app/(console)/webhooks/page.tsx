import type { Metadata } from 'next';
import { WebhooksPage } from '@/modules/webhooks/components/list/webhooks-page';

export const metadata: Metadata = { title: 'Webhooks' };

export default function Page() {
  return <WebhooksPage />;
}
