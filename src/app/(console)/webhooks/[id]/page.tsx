import type { Metadata } from 'next';
import { History } from '@/modules/audit/components/history/history';
import { WebhookPage } from '@/modules/webhooks/components/webhook-page';

export const metadata: Metadata = { title: 'Webhook' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <WebhookPage id={id} history={<History resource={`webhook:${id}`} />} />;
}
