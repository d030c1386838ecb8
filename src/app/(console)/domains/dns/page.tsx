import type { Metadata } from 'next';
import { DomainStatesPage } from '@/modules/domains/components/states/domain-states-page';

export const metadata: Metadata = { title: 'DNS and reports' };

export default function Page() {
  return <DomainStatesPage />;
}
