import type { Metadata } from 'next';
import { AdminsPage } from '@/modules/admins/components/admins-page';

export const metadata: Metadata = { title: 'Admins' };

export default function Page() {
  return <AdminsPage />;
}
