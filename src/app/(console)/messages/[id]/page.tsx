import type { Metadata } from 'next';
import { MessagePage } from '@/modules/messages/components/message-page';

export const metadata: Metadata = { title: 'Message' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <MessagePage id={id} />;
}
