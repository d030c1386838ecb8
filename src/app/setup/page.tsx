import type { Metadata } from 'next';
import { SetupPage } from '@/modules/auth/components/setup/setup-page';

export const metadata: Metadata = { title: 'Set up', referrer: 'no-referrer' };

export default function Page() {
  return <SetupPage />;
}
