import type { Metadata } from 'next';
import { TemplatesPage } from '@/modules/templates/components/list/templates-page';

export const metadata: Metadata = { title: 'Templates' };

export default function Page() {
  return <TemplatesPage />;
}
