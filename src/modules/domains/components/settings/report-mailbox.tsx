import { Select } from '@mantine/core';
import { trpc } from '@/components/api/trpc';
import type { Domain } from '../../schema';

const MAX_MAILBOXES = 200;

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
export function ReportMailbox({ domain, value = null, onChange, isReadOnly, error }: ReportMailboxProps) {
  const list = trpc.mailboxes.list.useQuery({
    domain_id: domain.id,
    limit: MAX_MAILBOXES,
    sort: 'local_part',
    order: 'asc',
  });
  const listed = list.data?.items ?? [];
  const isListed = value === null || listed.some(({ id }) => id === value);
  const saved = trpc.mailboxes.get.useQuery({ id: value ?? '' }, { enabled: !isListed && list.data !== undefined });
  const mailboxes = saved.data && !isListed ? [saved.data, ...listed] : listed;
  return (
    <Select
      label="Report mailbox"
      description={`Reports that arrive in this mailbox are read too, besides those to dmarc-reports@${domain.name} and tls-reports@${domain.name}.`}
      placeholder="None"
      className="mono-input"
      data={mailboxes.map(({ id, email }) => ({ value: id, label: email }))}
      clearable
      clearButtonProps={{ 'aria-label': 'No report mailbox' }}
      searchable
      nothingFoundMessage="No matching mailboxes"
      disabled={isReadOnly}
      error={error}
      value={value}
      onChange={(id) => onChange?.(id)}
    />
  );
}
