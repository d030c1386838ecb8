import { IconChevronRight } from '@tabler/icons-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { SectionHeading } from '@/components/layout/section-heading';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { formatPlural } from '@/lib/format';
import type { Overview } from '../schema';
import classes from './needs-attention.module.css';

type AttentionItem = { status: Status; label: string; title: ReactNode; reason: string; href: string; action: string };

type NeedsAttentionProps = {
  totals: Overview['totals'];
  mta: Overview['mta'];
  failingWebhooks: number;
  brokenDns: Overview['broken_dns'];
};

export function NeedsAttention(props: NeedsAttentionProps) {
  const items = attentionItems(props);
  if (items.length === 0) return null;
  return (
    <>
      <SectionHeading title="Needs attention" isUnderlined>
        <span className="quiet">{items.length}</span>
      </SectionHeading>
      <DataTable
        caption="Needs attention, most severe first"
        columns={COLUMNS}
        rows={items}
        rowKey={({ label: word, href }) => `${word} ${href}`}
        rowHref={({ href }) => href}
        hideHeader
      />
    </>
  );
}

const COLUMNS: DataTableColumn<AttentionItem>[] = [
  {
    key: 'status',
    header: 'Status',
    width: 112,
    kind: 'mark',
    mobile: 'mark',
    cell: ({ status, label: word }) => <StatusMark status={status}>{word}</StatusMark>,
  },
  { key: 'issue', header: 'Issue', width: 248, mobile: 'lead', cell: ({ title }) => title },
  { key: 'details', header: 'Details', mobile: 'none', className: 'soft', cell: ({ reason }) => reason },
  {
    key: 'action',
    header: 'Next step',
    width: 168,
    kind: 'tail',
    mobile: 'under',
    cell: ({ href, action }) => (
      <Link className={`act ${classes.go}`} href={href}>
        {action}
        <IconChevronRight size={16} stroke={1.5} aria-hidden="true" />
      </Link>
    ),
  },
];

function attentionItems({ totals, mta, failingWebhooks, brokenDns }: NeedsAttentionProps): AttentionItem[] {
  const items: AttentionItem[] = [];
  if (mta.kind === 'off') {
    items.push({
      status: 'failed',
      label: 'Disabled',
      title: 'Sending is disabled',
      reason: 'SMTP_URL is set to off, so every send is rejected',
      href: '/reference',
      action: 'Open API reference',
    });
  }
  if (mta.agent === 'silent') {
    items.push({
      status: 'failed',
      label: 'Offline',
      title: 'Mail agent not responding',
      reason: 'Start it with npm run mail-agent. Until then, mailboxes can’t send',
      href: '/queue',
      action: 'View queue',
    });
  }
  items.push(...brokenDns.map(brokenDomain));
  if (totals.failed > 0) {
    items.push({
      status: 'failed',
      label: 'Failed',
      title: `${formatPlural(totals.failed, 'message')} not sent`,
      reason: 'Rejected by your mail server, expired in its queue, or deleted from it',
      href: '/messages?status=failed',
      action: 'Review failures',
    });
  }
  if (failingWebhooks > 0) {
    items.push({
      status: 'failed',
      label: 'Failing',
      title: formatPlural(failingWebhooks, 'webhook'),
      reason: 'The last attempt failed. Each delivery is retried 5 times, then abandoned',
      href: '/webhooks',
      action: 'Review webhooks',
    });
  }
  if (totals.uncertain > 0) {
    items.push({
      status: 'uncertain',
      label: 'Unconfirmed',
      title: `${formatPlural(totals.uncertain, 'message')} unconfirmed`,
      reason: 'They may have been sent. Don’t resend them yet',
      href: '/messages?status=uncertain',
      action: 'Review messages',
    });
  }
  return items;
}

const DNS_LABELS: Record<Overview['broken_dns'][number]['status'], string> = {
  ok: 'Wrong',
  missing: 'Missing',
  mismatch: 'Mismatch',
  multiple: 'Duplicate',
  insecure: 'Insecure',
  temporary_error: 'No answer',
};

function brokenDomain({ domain_id, domain, count, status, message }: Overview['broken_dns'][number]): AttentionItem {
  return {
    status: status === 'missing' ? 'failed' : 'bounced',
    label: DNS_LABELS[status],
    title: <span className="mono clip">{domain}</span>,
    reason:
      count === 1
        ? message
        : `${message} ${formatPlural(count - 1, 'more record')} need${count === 2 ? 's' : ''} a fix.`,
    href: `/domains/${domain_id}`,
    action: count === 1 ? 'Fix the record' : 'Fix the records',
  };
}
