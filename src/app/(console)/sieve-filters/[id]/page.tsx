import type { Metadata } from 'next';
import { History } from '@/modules/audit/components/history/history';
import { FilterPage } from '@/modules/sieve-filters/components/filter-page';

export const metadata: Metadata = { title: 'Filter' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <FilterPage id={id} history={<History resource={`sieve_filter:${id}`} />} />;
}
