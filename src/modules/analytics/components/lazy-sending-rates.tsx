'use client';

import dynamic from 'next/dynamic';
import { trpc } from '@/components/api/trpc';
import { loadPart } from '@/components/load-part';
import { SettingsSkeleton } from '@/components/settings-section';

/** Its code is loaded when it is shown. */
const SendingRates = dynamic(() => loadPart(import('./sending-rates').then((module) => module.SendingRates)), {
  ssr: false,
  loading: () => <SettingsSkeleton heights={[336]} />,
});

export function DomainSendingRates({ id }: { id: string }) {
  return <SendingRates domainId={id} />;
}

export function MailboxSendingRates({ id }: { id: string }) {
  const { data: mailbox } = trpc.mailboxes.get.useQuery({ id });
  return mailbox ? <SendingRates domainId={mailbox.domain_id} sender={mailbox.email} /> : null;
}
