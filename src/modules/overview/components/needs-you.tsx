import { IconChevronRight } from '@tabler/icons-react';
import Link from 'next/link';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { formatPlural } from '@/lib/format';
import type { Overview } from '../schema';

type Need = { status: Status; word: string; what: string; why: string; href: string; action: string };

type NeedsYouProps = { totals: Overview['totals']; mta: Overview['mta']; failingWebhooks: number };

export function NeedsYou({ totals, mta, failingWebhooks }: NeedsYouProps) {
  const needs = needsOf(totals, mta, failingWebhooks);
  if (needs.length === 0) return null;
  return (
    <>
      <div className="section">
        <h2>Needs you</h2>
        <span className="quiet">{needs.length}</span>
      </div>
      <div className="align-top">
        <DataTable
          caption="Things that need you, worst first"
          columns={COLUMNS}
          rows={needs}
          rowKey={({ word }) => word}
          rowHref={({ href }) => href}
          hideHeader
        />
      </div>
    </>
  );
}

const COLUMNS: DataTableColumn<Need>[] = [
  {
    key: 'state',
    header: 'State',
    width: 112,
    kind: 'mark',
    mobile: 'mark',
    cell: ({ status, word }) => <StatusMark status={status}>{word}</StatusMark>,
  },
  { key: 'what', header: 'What', width: 248, mobile: 'lead', cell: ({ what }) => what },
  { key: 'why', header: 'Why', mobile: 'none', className: 'soft', cell: ({ why }) => why },
  {
    key: 'action',
    header: 'Next step',
    width: 168,
    kind: 'tail',
    mobile: 'under',
    cell: ({ href, action }) => (
      <Link className="act go" href={href}>
        {action}
        <IconChevronRight size={16} stroke={1.5} aria-hidden="true" />
      </Link>
    ),
  },
];

function needsOf(totals: Overview['totals'], mta: Overview['mta'], failingWebhooks: number): Need[] {
  const needs: Need[] = [];
  if (mta.kind === 'off') {
    needs.push({
      status: 'failed',
      word: 'Off',
      what: 'Sending is switched off',
      why: 'SMTP_URL is set to off; every send is refused',
      href: '/reference',
      action: 'Read how to send',
    });
  }
  if (mta.agent === 'silent') {
    needs.push({
      status: 'failed',
      word: 'Silent',
      what: 'The agent of the mail server',
      why: 'Start it: npm run mail-agent. Until then mailboxes cannot send',
      href: '/queue',
      action: 'Look at the queue',
    });
  }
  if (totals.failed > 0) {
    needs.push({
      status: 'failed',
      word: 'Failed',
      what: `${formatPlural(totals.failed, 'message')} not sent`,
      why: 'Refused by your mail server, given up, or deleted there',
      href: '/messages?status=failed',
      action: 'Review failures',
    });
  }
  if (failingWebhooks > 0) {
    needs.push({
      status: 'failed',
      word: 'Failing',
      what: formatPlural(failingWebhooks, 'webhook'),
      why: 'The last attempt failed; deliveries are tried again 5 times, then given up',
      href: '/webhooks',
      action: 'Look at them',
    });
  }
  if (totals.uncertain > 0) {
    needs.push({
      status: 'uncertain',
      word: 'Uncertain',
      what: `${formatPlural(totals.uncertain, 'message')} without an answer`,
      why: 'They may or may not have been sent; do not send them again yet',
      href: '/messages?status=uncertain',
      action: 'Review them',
    });
  }
  return needs;
}
