import { isIP } from 'node:net';
import { formatCount, formatPlural } from '@/lib/format';
import { brokenRecordsText } from '@/lib/mail/dns-purposes';
import type { Prisma } from '@/server/prisma/client';

export type AlertRow = Prisma.AlertGetPayload<object>;

export type AlertFacts = Pick<AlertRow, 'kind' | 'subject' | 'count' | 'expected' | 'text'>;

/** `details` is what was found, what it means and what to do; empty if `summary` says it all. */
type AlertMessage = { summary: string; details: string };

/** Returns what happened, in one or two sentences. */
export function describeAlert(alert: AlertFacts): string {
  const { summary, details } = messagePartsOf(alert);
  return details ? `${summary} ${details}` : summary;
}

export function messagePartsOf({ kind, subject, count, expected, text }: AlertFacts): AlertMessage {
  if (kind === 'system_down') return { summary: `${subject} is down.`, details: text };
  if (kind === 'system_degraded') return { summary: `${subject} needs attention.`, details: text };
  if (kind === 'webhook_failing') {
    const summary = `The webhook ${subject} failed ${formatCount(count)} times in a row.`;
    return { summary, details: 'Deliveries to it continue.' };
  }
  if (kind === 'dns_broken') {
    const summary = `DNS records of ${subject} that mail depends on are missing or wrong: ${formatCount(count)}.`;
    return {
      summary,
      details: text
        ? brokenRecordsText(text, count)
        : `${formatPlural(count, 'record')} missing or wrong. The domain’s page says what to publish.`,
    };
  }
  if (kind === 'content_store') {
    return {
      summary: `The content store ${subject} is full or does not respond.`,
      details: 'Mail is sent and received, but its content is not kept meanwhile. The log has the error.',
    };
  }
  if (kind === 'wrong_passwords') {
    const source = isIP(subject) ? `from ${subject}` : `for ${subject} from one address`;
    return {
      summary: `${formatCount(count)} different wrong passwords ${source} within 15 minutes.`,
      details: 'Sign-ins from there are blocked for the rest of that time; the audit log has the address.',
    };
  }
  const sent = `${subject} sent ${formatPlural(count, 'message')} in an hour`;
  if (kind === 'volume_spike') {
    const summary = `${sent}; the hourly average of the previous 7 days is ${expected.toFixed(1)}.`;
    return { summary, details: text };
  }
  const summary = `${sent}; the limit is ${formatCount(expected)}.`;
  return {
    summary,
    details: kind === 'rate_limited' ? 'Further messages were rejected.' : 'The mailbox was suspended.',
  };
}
