import { formatCount, formatPlural, formatShare } from '@/lib/format';
import type { OutcomeCause } from '@/lib/mail/outcomes';
import { messagesHref } from '@/lib/messages-href';
import { formatBefore, isManyBounces } from '@/lib/texts/figure-texts';
import type { Overview } from '../schema';
import type { AttentionRow } from './attention-row';
import type { Incident } from './incidents';

/** The rows about messages that bounced, failed or are unconfirmed, apart from those of incidents. */
export function outcomeRows(overview: Overview, incidents: Incident[], domain: string | null): AttentionRow[] {
  return [
    ...bouncedRow(overview, incidents, domain),
    ...failedRow(overview, incidents, domain),
    ...unconfirmedRow(overview, domain),
  ];
}

function bouncedRow(overview: Overview, incidents: Incident[], domain: string | null): AttentionRow[] {
  const { totals, previous, since, until, troubled_senders: senders } = overview;
  const explained = incidents.reduce((sum, { sender }) => sum + sender.bounced, 0);
  const bounced = totals.bounced - explained;
  if (!isManyBounces({ bounced, sent: totals.sent })) return [];
  const others = senders.filter(({ sender }) => !incidents.some((incident) => incident.sender.sender === sender));
  const most = others.find((sender) => 2 * sender.bounced >= bounced);
  return [
    {
      key: 'bounced',
      status: 'bounced',
      label: 'Bounced',
      object: 'Messages',
      subject: `${formatPlural(bounced, 'message')} bounced`,
      reason:
        `${formatShare(bounced, totals.sent)} of sent, ${formatBefore(previous.bounced, 'the day before')}.` +
        (most ? ` ${formatCount(most.bounced)} from ${most.sender}.` : '') +
        othersText(explained, incidents),
      href: messagesHref('bounced', { start: since, end: until, domain }),
      action: 'Review bounces',
      at: lastHourOf(overview, 'bounced'),
    },
  ];
}

const FAILURES: Partial<Record<OutcomeCause, string>> = {
  rejected: 'rejected by your mail server',
  not_submitted: 'not accepted, because your mail server couldn’t be reached',
  expired: 'expired in the queue',
  deleted: 'deleted from the queue',
  not_allowed: 'not allowed when they were due',
};
const UNKNOWN_FAILURE = 'with an unknown result';

function failedRow(overview: Overview, incidents: Incident[], domain: string | null): AttentionRow[] {
  const { totals, since, until, failures } = overview;
  const isExplained = (from: string | null) => incidents.some(({ sender }) => sender.sender === from);
  const explained = failures.reduce((sum, { sender, count }) => sum + (isExplained(sender) ? count : 0), 0);
  const failed = totals.failed - explained;
  if (failed <= 0) return [];
  const counts = new Map<string, number>();
  for (const { sender, cause, count } of failures) {
    if (isExplained(sender)) continue;
    const text = (cause && FAILURES[cause]) ?? UNKNOWN_FAILURE;
    counts.set(text, (counts.get(text) ?? 0) + count);
  }
  const reasons = [...counts].sort(([, one], [, other]) => other - one);
  return [
    {
      key: 'failed',
      status: 'failed',
      label: 'Failed',
      object: 'Messages',
      subject: `${formatPlural(failed, 'message')} not sent`,
      reason: sentenceOf(reasons) + othersText(explained, incidents),
      href: messagesHref('failed', { start: since, end: until, domain }),
      action: 'Review failures',
      at: lastHourOf(overview, 'failed'),
    },
  ];
}

/** Where the others of the figure are: in the rows of incidents. */
function othersText(count: number, incidents: Incident[]): string {
  if (count === 0) return '';
  const from = incidents.length === 1 ? 'a suspended mailbox' : 'suspended mailboxes';
  return ` ${formatCount(count)} more from ${from}.`;
}

/** A sentence such as "34 deleted from the queue, 2 expired in the queue." A single reason needs no count. */
function sentenceOf(reasons: [text: string, count: number][]): string {
  const [[only = ''] = []] = reasons;
  if (reasons.length < 2) return only && `${only.charAt(0).toUpperCase()}${only.slice(1)}.`;
  return `${reasons.map(([text, count]) => `${formatCount(count)} ${text}`).join(', ')}.`;
}

function unconfirmedRow(overview: Overview, domain: string | null): AttentionRow[] {
  const { totals, since, until } = overview;
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
      at: lastHourOf(overview, 'uncertain'),
    },
  ];
}

/** The start of the last hour that has such a message. */
function lastHourOf({ series }: Overview, name: 'bounced' | 'failed' | 'uncertain'): string | null {
  return series.findLast((hour) => hour[name] > 0)?.at ?? null;
}
