import type { Metadata } from 'next';
import { ServicesPage } from '@/modules/services/components/services-page';
import { mtaKind } from '@/server/settings/mta-kind';

export const metadata: Metadata = { title: 'Services' };

export default function Page() {
  return <ServicesPage isSandbox={mtaKind() === 'sandbox'} />;
}
