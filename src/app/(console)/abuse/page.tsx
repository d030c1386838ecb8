import type { Metadata } from 'next';
import { AbusePage } from '@/modules/abuse/components/abuse-page';

export const metadata: Metadata = { title: 'Abuse' };

export default function Page() {
  return <AbusePage />;
}
