import type { Metadata } from 'next';
import { SendPage } from '@/modules/sending/components/send-page';

export const metadata: Metadata = { title: 'Send' };

export default function Page() {
  return <SendPage />;
}
