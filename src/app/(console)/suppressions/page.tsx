import type { Metadata } from 'next';
import { SuppressionsPage } from '@/modules/suppressions/components/suppressions-page';

export const metadata: Metadata = { title: 'Suppressions' };

export default function Page() {
  return <SuppressionsPage />;
}
