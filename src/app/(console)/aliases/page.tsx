import type { Metadata } from 'next';
import { AliasesPage } from '@/modules/aliases/components/aliases-page';

export const metadata: Metadata = { title: 'Aliases' };

export default function Page() {
  return <AliasesPage />;
}
