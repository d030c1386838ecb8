import type { Metadata } from 'next';
import { FilterPage } from '@/modules/sieve-filters/components/filter-page';

export const metadata: Metadata = { title: 'Filter' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <FilterPage id={id} />;
}
