import type { Metadata } from 'next';
import { ClientSettingsPage } from '@/modules/mailboxes/components/client-settings/client-settings-page';

export const metadata: Metadata = { title: 'Mail program settings' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return <ClientSettingsPage id={(await params).id} />;
}
