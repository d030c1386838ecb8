import type { Metadata } from 'next';
import { DomainsPage } from '@/modules/domains/components/domains-page';

export const metadata: Metadata = { title: 'Domains' };

export default function Page() {
  return <DomainsPage />;
}
