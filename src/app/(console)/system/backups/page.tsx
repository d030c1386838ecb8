import type { Metadata } from 'next';
import { BackupsPage } from '@/modules/backups/components/backups-page';
import { MailBackups } from '@/modules/mail-backups/components/mail-backups';

export const metadata: Metadata = { title: 'Backups' };

export default function Page() {
  return <BackupsPage mail={<MailBackups />} />;
}
