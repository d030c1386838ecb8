import type { Metadata } from 'next';
import { SendPage } from '@/modules/messages/components/compose/send-page';

export const metadata: Metadata = { title: 'Send' };

export default function Page() {
  return <SendPage />;
}
