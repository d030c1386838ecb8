import type { Metadata } from 'next';
import { MailboxSendingRates } from '@/modules/analytics/components/lazy-sending-rates';
import { History } from '@/modules/audit/components/history/history';
import { MailboxPage } from '@/modules/mailboxes/components/mailbox-page';

export const metadata: Metadata = { title: 'Mailbox' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <MailboxPage id={id} sent={<MailboxSendingRates id={id} />} history={<History resource={`mailbox:${id}`} />} />
  );
}
