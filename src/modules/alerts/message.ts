import { isIP } from 'node:net';
import type { Prisma } from '@/server/prisma/client';

export type AlertRow = Prisma.AlertGetPayload<object>;

export type AlertFacts = Pick<AlertRow, 'kind' | 'subject' | 'count' | 'expected' | 'text'>;

/** What happened, in one or two sentences. */
export function messageOf({ kind, subject, count, expected, text }: AlertFacts): string {
  if (kind === 'system_down') return `${subject} is down. ${text}`;
  if (kind === 'system_degraded') return `${subject} needs attention. ${text}`;
  if (kind === 'webhook_failing')
    return `The webhook ${subject} failed ${count} times in a row. Deliveries to it continue.`;
  if (kind === 'dns_broken') {
    return `DNS records of ${subject} that mail depends on are missing or wrong: ${count}. The domain’s page says what to publish.`;
  }
  if (kind === 'content_store') {
    return `The content store ${subject} is full or does not respond. Mail is sent and received, but its content is not kept meanwhile. The log has the error.`;
  }
  if (kind === 'wrong_passwords') {
    const source = isIP(subject) ? `from ${subject}` : `for ${subject} from one address`;
    return `${count} different wrong passwords ${source} within 15 minutes. Sign-ins from there are blocked for the rest of that time; the audit log has the address.`;
  }
  const sent = `${subject} sent ${count} messages in an hour`;
  if (kind === 'volume_spike') return `${sent}; the hourly average of the previous 7 days is ${expected.toFixed(1)}.`;
  if (kind === 'rate_limited') return `${sent}; the limit is ${expected}. Further messages were rejected.`;
  return `${sent}; the limit is ${expected}. The mailbox was suspended.`;
}
