import type { Metadata } from 'next';
import { MisusePage } from '@/modules/mailboxes/components/misuse/misuse-page';
import { QueuedFromMailbox } from '@/modules/queue/components/queued-from';

export const metadata: Metadata = { title: 'Check for misuse' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <MisusePage id={id} queued={<QueuedFromMailbox id={id} />} />;
}
