import type { EventType } from '@/lib/event-types';
import { momentParts } from '@/lib/format';
import type { Delivery, Webhook } from '../schema';

export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'abandoned'] as const;

export const EVENT_DESCRIPTIONS: Record<EventType, string> = {
  'mail.sent': 'Your mail server accepted the message',
  'mail.delivered': 'Accepted by the receiving server, per recipient',
  'mail.bounced': 'Rejected or deferred by the receiving server',
  'mail.failed': 'Couldn’t be sent, or your mail server gave up',
  'mail.suppressed': 'Left out of a message because the recipient is suppressed',
  'mail.complained': 'The recipient reported the message as spam',
  'mail.unsubscribed': 'The recipient unsubscribed from a mailing list',
  'mail.received': 'A message arrived in a mailbox',
  'mail.received.full': 'Like mail.received, with the full message; can be many megabytes',
  'mail.spam': 'An incoming message was flagged as spam',
  'domain.dns_changed': 'A check found a domain’s DNS records changed',
  'system.alert': 'An alert was opened, or closed because its cause is gone',
};

/** Host, then path and query, without the scheme, which is always https. A path of `/` alone is left out. */
export function urlParts(url: string): [host: string, rest: string] {
  const { host, pathname, search } = new URL(url);
  return [host, `${pathname === '/' && search === '' ? '' : pathname}${search}`];
}

export function hostOf(url: string): string {
  return urlParts(url)[0];
}

export function isFailing({ active, failures_in_row: failures }: Webhook): boolean {
  return active && failures > 0;
}

export function sinceOf({ failing_since: since }: Webhook): string {
  return since === null ? '' : ` since ${momentParts(since).lead}`;
}

/** Whether the delivery is in flight or will be attempted within two seconds. */
export function isAboutToChange({ in_flight, status, next_attempt_at: next }: Delivery, isActive: boolean): boolean {
  if (in_flight) return true;
  return isActive && next !== null && (status === 'pending' || new Date(next).getTime() - Date.now() < 2000);
}
