import type { Status } from '@/components/marks/status-mark';
import { formatBefore, isManyBounces } from '@/lib/figure-texts';
import { formatCount, formatPlural, formatShare } from '@/lib/format';
import { messagesHref } from '@/lib/messages-href';
import { ROUTES } from '@/lib/routes';
import type { Attention, AttentionItem, Overview } from '../schema';

export type AttentionRow = {
  key: string;
  status: Status;
  label: string;
  /** What kind of object it is. */
  object: string;
  subject: string;
  reason: string;
  href: string;
  action: string;
};

/** One row for each object, and one for each outcome of messages that an admin should look at, most severe first. */
export function attentionRows(
  overview: Overview,
  { items, counts, notifies_nobody: isSilent, suspended_mailboxes: suspended }: Attention,
  domain: string | null,
): AttentionRow[] {
  // The checklist has the records of a new domain.
  const shown = items.filter(({ section }) => overview.checklist.has_sent || section !== 'domains');
  const listed = Object.entries(counts).filter(([section]) => shown.some((item) => item.section === section));
  const more = listed.flatMap(([section, count]) => {
    const left = count - shown.filter((item) => item.section === section).length;
    if (section !== 'mailboxes') return left > 0 ? [moreRow(section, left)] : [];
    const leftSuspended = Math.min(left, suspended - shown.filter(({ kind }) => kind === 'mailbox_suspended').length);
    return [
      ...(leftSuspended > 0 ? [moreMailboxes('suspended', leftSuspended, domain)] : []),
      ...(left > leftSuspended ? [moreMailboxes('full', left - leftSuspended, domain)] : []),
    ];
  });
  const found = (rank: Rank) => shown.filter((item) => rankOf(item) === rank).map(rowOf);
  return [
    ...(overview.mta === 'off' ? [SENDING_DISABLED] : []),
    ...bouncedRow(overview, domain),
    ...failedRow(overview, domain),
    ...found('failed'),
    ...found('bounced'),
    ...(isSilent ? [NOBODY_NOTIFIED] : []),
    ...found('warning'),
    ...more,
    ...unconfirmedRow(overview, domain),
  ];
}

type Rank = 'failed' | 'bounced' | 'warning';

/** By severity, and rows with the same mark together. */
function rankOf(item: AttentionItem): Rank {
  const { status } = rowOf(item);
  if (item.severity === 'warning' && status !== 'bounced') return 'warning';
  return status === 'bounced' ? 'bounced' : 'failed';
}

const SENDING_DISABLED: AttentionRow = {
  key: 'sending',
  status: 'failed',
  label: 'Disabled',
  object: 'Sending',
  subject: 'SMTP_URL',
  reason: 'It is set to off, so every send is rejected.',
  href: '/reference',
  action: 'Open API reference',
};

const NOBODY_NOTIFIED: AttentionRow = {
  key: 'notifications',
  status: 'warning',
  label: 'Not notified',
  object: 'Alerts',
  subject: 'Nobody is notified',
  reason: 'No email address or webhook is set for open alerts.',
  href: '/alerts?tab=notifications',
  action: 'Set addresses',
};

type Kind = Pick<AttentionRow, 'label' | 'object' | 'action'> & { status?: Status };

const KINDS: Record<AttentionItem['kind'], Kind> = {
  dns_broken: { label: 'Wrong', object: 'Domain', action: 'Fix the records' },
  mailbox_suspended: { label: 'Suspended', object: 'Mailbox', action: 'Review mailbox' },
  mailbox_full: { label: 'Nearly full', object: 'Mailbox', action: 'Review mailbox' },
  webhook_failing: { label: 'Failing', object: 'Webhook', action: 'Review deliveries' },
  key_expiring: { label: 'Expiring', object: 'API key', action: 'Review keys' },
  rate_limited: { label: 'Over limit', object: 'Alert', action: 'Review alert', status: 'bounced' },
  volume_spike: { label: 'Spike', object: 'Alert', action: 'Review alert' },
  wrong_passwords: { label: 'Guessing', object: 'Alert', action: 'Review alert' },
  content_store: { label: 'Not stored', object: 'Content', action: 'Review alert' },
  system_down: { label: 'Down', object: 'System', action: 'Review health' },
  system_degraded: { label: 'Degraded', object: 'System', action: 'Review health' },
};

const DNS_LABELS: Record<NonNullable<AttentionItem['record_status']>, string> = {
  ok: 'Wrong',
  missing: 'Missing',
  mismatch: 'Mismatch',
  multiple: 'Duplicate',
  insecure: 'Insecure',
  temporary_error: 'No answer',
};

function rowOf(item: AttentionItem): AttentionRow {
  const { kind, id, section, severity, subject, reason, record_status: record } = item;
  const { status = severity === 'critical' ? 'failed' : 'warning', ...words } = KINDS[kind];
  return {
    key: `${section}:${id}`,
    status: record && record !== 'missing' ? 'bounced' : status,
    ...words,
    ...(kind === 'mailbox_full' && severity === 'critical' && { label: 'Full' }),
    ...(record && { label: DNS_LABELS[record] }),
    ...OF_SECTION[section],
    subject,
    reason,
    href: hrefOf(item),
  };
}

/** Names and links of alerts about the system that have a page of their own. */
const OF_SECTION: Partial<Record<AttentionItem['section'], Pick<AttentionRow, 'object' | 'action'>>> = {
  queue: { object: 'Queue', action: 'Open queue' },
  backups: { object: 'Backup', action: 'Review backups' },
};

function hrefOf({ section, id }: AttentionItem): string {
  const page = pageOf(section);
  return section === 'domains' || section === 'mailboxes' || section === 'webhooks' ? `${page}/${id}` : page;
}

function pageOf(section: string): string {
  return ROUTES.find(({ icon }) => icon === section)?.href ?? '/';
}

function moreRow(section: string, count: number): AttentionRow {
  const name = ROUTES.find(({ icon }) => icon === section)?.label ?? '';
  return {
    key: `more:${section}`,
    status: 'failed',
    label: 'More',
    object: name,
    subject: `${formatCount(count)} more`,
    reason: '',
    href: pageOf(section),
    action: `View ${name.toLowerCase()}`,
  };
}

const MORE_MAILBOXES = { suspended: 'Suspended', full: 'Nearly full' } as const;

function moreMailboxes(show: keyof typeof MORE_MAILBOXES, count: number, domain: string | null): AttentionRow {
  const row = moreRow('mailboxes', count);
  return {
    ...row,
    key: `${row.key}:${show}`,
    status: 'warning',
    label: MORE_MAILBOXES[show],
    subject: `${row.subject} ${MORE_MAILBOXES[show].toLowerCase()}`,
    href: `${row.href}?${new URLSearchParams({ ...(domain && { domain }), show })}`,
  };
}

function bouncedRow(
  { totals, previous, since, until, most_bounced: most }: Overview,
  domain: string | null,
): AttentionRow[] {
  const { bounced, sent } = totals;
  if (!isManyBounces(totals)) return [];
  return [
    {
      key: 'bounced',
      status: 'bounced',
      label: 'Bounced',
      object: 'Messages',
      subject: `${formatPlural(bounced, 'message')} bounced`,
      reason:
        `${formatShare(bounced, sent)} of sent, ${formatBefore(previous.bounced, 'the day before')}.` +
        (most ? ` ${formatCount(most.bounced)} from ${most.sender}.` : ''),
      href: messagesHref('bounced', { start: since, end: until, domain }),
      action: 'Review bounces',
    },
  ];
}

function failedRow({ totals, since, until }: Overview, domain: string | null): AttentionRow[] {
  if (totals.failed === 0) return [];
  return [
    {
      key: 'failed',
      status: 'failed',
      label: 'Failed',
      object: 'Messages',
      subject: `${formatPlural(totals.failed, 'message')} not sent`,
      reason: 'Rejected by your mail server, expired in its queue, or deleted from it.',
      href: messagesHref('failed', { start: since, end: until, domain }),
      action: 'Review failures',
    },
  ];
}

function unconfirmedRow({ totals, since, until }: Overview, domain: string | null): AttentionRow[] {
  if (totals.uncertain === 0) return [];
  return [
    {
      key: 'uncertain',
      status: 'uncertain',
      label: 'Unconfirmed',
      object: 'Messages',
      subject: `${formatPlural(totals.uncertain, 'message')} unconfirmed`,
      reason: 'They may have been sent. Don’t resend them yet.',
      href: `/messages?${new URLSearchParams({ ...(domain && { domain }), direction: 'outbound', status: 'uncertain', since, until })}`,
      action: 'Review messages',
    },
  ];
}
