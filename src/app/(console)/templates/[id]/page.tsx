import type { Metadata } from 'next';
import { History } from '@/modules/audit/components/history/history';
import { TemplatePage } from '@/modules/templates/components/template-page';

export const metadata: Metadata = { title: 'Template' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <TemplatePage id={id} history={<History resource={`template:${id}`} />} />;
}
