import type { Metadata } from 'next';
import { MailboxesPage } from '@/modules/mailboxes/components/list/mailboxes-page';

export const metadata: Metadata = { title: 'Mailboxes' };

export default function Page() {
  return <MailboxesPage />;
}
