import type { Metadata } from 'next';
import { FiltersPage } from '@/modules/sieve-filters/components/list/filters-page';

export const metadata: Metadata = { title: 'Filters' };

export default function Page() {
  return <FiltersPage />;
}
