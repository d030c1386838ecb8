import type { Metadata } from 'next';
import { AccountPage } from '@/modules/auth/components/account/account-page';

export const metadata: Metadata = { title: 'Account' };

export default function Page() {
  return <AccountPage />;
}
