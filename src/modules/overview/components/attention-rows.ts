import type { Status } from '@/components/marks/status-mark';
import type { Attention, AttentionItem, Overview } from '../schema';
import type { AttentionRow } from './attention-row';
import { findIncidents, incidentText } from './incidents';
import { outcomeRows } from './outcome-rows';
import { pageOf, unlistedOf, withUnlisted } from './unlisted';

/**
 * One row for each object, for each outcome of messages that an admin should look at, and for each incident: a suspended sender
 * with its messages. The most severe first, and of the same severity, those of a kind together: first the kind of an incident,
 * then that of the newest.
 */
export function attentionRows(overview: Overview, attention: Attention, domain: string | null): AttentionRow[] {
  // The checklist has the records of a new domain.
  const shown = attention.items.filter(({ section }) => overview.checklist.has_sent || section !== 'domains');
  const incidents = findIncidents(overview, shown);
  const isExplained = (item: AttentionItem) =>
    incidents.some(({ mailbox, alerts }) => mailbox === item || alerts.includes(item));
  const rows = shown.filter((item) => !isExplained(item)).map(rowOf);
  const incidentRows = incidents.map((incident) => ({ ...rowOf(incident.mailbox), reason: incidentText(incident) }));
  return withUnlisted(
    [
      ...(overview.mta === 'off' ? [SENDING_DISABLED] : []),
      ...sorted(incidentRows, [...outcomeRows(overview, incidents, domain), ...rows]),
    ],
    unlistedOf(shown, attention, domain),
  );
}

/** The marks of rows, the most severe first. */
const GRAVITY: Status[] = ['failed', 'bounced', 'warning', 'uncertain'];

/** By severity, kind and time; rows without a time last. */
function sorted(incidents: AttentionRow[], rows: AttentionRow[]): AttentionRow[] {
  const all = [...incidents, ...rows];
  const gravityOf = ({ status }: AttentionRow) => GRAVITY.indexOf(status);
  const timeOf = (row: AttentionRow) => {
    if (incidents.includes(row)) return Number.MAX_VALUE;
    return row.at === null ? 0 : Date.parse(row.at);
  };
  const kindOf = ({ kind, key, status }: AttentionRow) => `${status} ${kind ?? key}`;
  const newest = new Map<string, number>();
  for (const row of all) newest.set(kindOf(row), Math.max(timeOf(row), newest.get(kindOf(row)) ?? 0));
  const newestOf = (row: AttentionRow) => newest.get(kindOf(row)) ?? 0;
  return all.toSorted(
    (one, other) =>
      gravityOf(one) - gravityOf(other) ||
      newestOf(other) - newestOf(one) ||
      kindOf(one).localeCompare(kindOf(other)) ||
      timeOf(other) - timeOf(one),
  );
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
  at: null,
};

type Kind = Pick<AttentionRow, 'label' | 'object' | 'action'> & { status?: Status };

const KINDS: Record<AttentionItem['kind'], Kind> = {
  dns_broken: { label: 'Wrong', object: 'Domain', action: 'Fix the records' },
  mailbox_suspended: { label: 'Suspended', object: 'Mailbox', action: 'Review mailbox' },
  mailbox_full: { label: 'Nearly full', object: 'Mailbox', action: 'Review mailbox' },
  webhook_failing: { label: 'Failing', object: 'Webhook', action: 'Review deliveries' },
  key_expiring: { label: 'Expiring', object: 'API key', action: 'Review keys' },
  files_differ: { label: 'Differs', object: 'Service', action: 'Review services' },
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
  const { kind, id, section, severity, subject, reason, record_status: record, at } = item;
  const { status = severity === 'critical' ? 'failed' : 'warning', ...words } = KINDS[kind];
  return {
    key: `${section}:${id}`,
    kind,
    section,
    status: record && record !== 'missing' ? 'bounced' : status,
    ...words,
    ...(kind === 'mailbox_full' && severity === 'critical' && { label: 'Full' }),
    ...(record && { label: DNS_LABELS[record] }),
    ...OF_SECTION[section],
    ...(isMisused(item) && { action: 'Check for misuse' }),
    subject,
    reason,
    href: hrefOf(item),
    at,
  };
}

/** Names and links of alerts about the system that have a page of their own. */
const OF_SECTION: Partial<Record<AttentionItem['section'], Pick<AttentionRow, 'object' | 'action'>>> = {
  queue: { object: 'Queue', action: 'Open queue' },
  backups: { object: 'Backup', action: 'Review backups' },
};

/** A limit suspended the mailbox, so that others may know its password. */
function isMisused({ kind, severity }: AttentionItem): boolean {
  return kind === 'mailbox_suspended' && severity === 'critical';
}

function hrefOf(item: AttentionItem): string {
  const { section, id } = item;
  const page = pageOf(section);
  if (isMisused(item)) return `${page}/${id}/misuse`;
  return section === 'domains' || section === 'mailboxes' || section === 'webhooks' ? `${page}/${id}` : page;
}
