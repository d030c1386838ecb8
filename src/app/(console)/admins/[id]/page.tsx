import type { Metadata } from 'next';
import { AdminPage } from '@/modules/admins/components/admin-page';
import { History } from '@/modules/audit/components/history/history';

export const metadata: Metadata = { title: 'Admin' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <AdminPage id={id} history={<History resource={`admin:${id}`} />} />;
}
