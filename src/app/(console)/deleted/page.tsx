import type { Metadata } from 'next';
import { DeletedPage } from '@/modules/deleted-records/components/deleted-page';

export const metadata: Metadata = { title: 'Recently deleted' };

export default function Page() {
  return <DeletedPage />;
}
