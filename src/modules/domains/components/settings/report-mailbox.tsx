import { trpc } from '@/components/api/trpc';
import { MailboxPicker } from '@/components/pickers/mailbox-picker';
import type { Domain } from '../../schema';

type ReportMailboxProps = {
  domain: Domain;
  value?: string | null;
  onChange?: (id: string | null) => void;
  isReadOnly: boolean;
  error?: string;
};

export function MailboxName({ id }: { id: string | null }) {
  const mailbox = trpc.mailboxes.get.useQuery({ id: id ?? '' }, { enabled: id !== null });
  return id === null ? 'None' : (mailbox.data?.email ?? id);
}

/** The mailbox whose DMARC and TLS reports are read. */
export function ReportMailbox({ domain, isReadOnly, ...field }: ReportMailboxProps) {
  return (
    <MailboxPicker
      label="Report mailbox"
      description={`Reports that arrive in this mailbox are read too, besides those to dmarc-reports@${domain.name} and tls-reports@${domain.name}.`}
      placeholder="None"
      clearLabel="No report mailbox"
      domainId={domain.id}
      disabled={isReadOnly}
      {...field}
    />
  );
}
