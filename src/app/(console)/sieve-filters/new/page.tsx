import type { Metadata } from 'next';
import { NewFilterPage } from '@/modules/sieve-filters/components/new-filter-page';

export const metadata: Metadata = { title: 'New filter' };

export default function Page() {
  return <NewFilterPage />;
}
