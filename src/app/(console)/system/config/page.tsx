import type { Metadata } from 'next';
import { ConfigPage } from '@/modules/config/components/config-page';

export const metadata: Metadata = { title: 'Configuration' };

export default function Page() {
  return <ConfigPage />;
}
