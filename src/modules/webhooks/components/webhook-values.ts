import { ALL_EVENTS, EVENT_TYPES, type EventType } from '@/lib/event-types';
import { momentParts } from '@/lib/format';
import type { Delivery, Webhook } from '../schema';

export const DELIVERY_STATES = ['pending', 'retrying', 'delivered', 'abandoned'] as const;

export const EVENT_MEANINGS: Record<EventType, string> = {
  'mail.sent': 'The mail server took a message',
  'mail.delivered': 'The other side took it, told for each recipient',
  'mail.bounced': 'The other side refused it, or puts it off',
  'mail.failed': 'It could not be sent, or was given up',
  'mail.received': 'A message came into a mailbox here',
  'mail.received.full': 'The same, whole: it can be many megabytes',
  'mail.spam': 'The filter took an incoming message for spam',
};

export type EventChoice = { isAll: boolean; chosen: string[] };

export function choiceOf(events: readonly string[]): EventChoice {
  return { isAll: events.includes(ALL_EVENTS), chosen: EVENT_TYPES.filter((type) => events.includes(type)) };
}

/** For a form. */
export function choiceFault({ isAll, chosen }: EventChoice): string | null {
  return isAll || chosen.length > 0 ? null : 'Choose at least one event.';
}

export function eventsOf({ isAll, chosen }: EventChoice): EventType[] | [typeof ALL_EVENTS] {
  return isAll ? [ALL_EVENTS] : EVENT_TYPES.filter((type) => chosen.includes(type));
}

/** `[host, the rest]`, without the scheme, which is always https. */
export function partsOf(url: string): [host: string, rest: string] {
  const { host, pathname, search } = new URL(url);
  return [host, `${pathname === '/' && search === '' ? '' : pathname}${search}`];
}

export function hostOf(url: string): string {
  return partsOf(url)[0];
}

export function isFailing({ active, failures_in_row: failures }: Webhook): boolean {
  return active && failures > 0;
}

export function sinceOf({ failing_since: since }: Webhook): string {
  return since === null ? '' : ` since ${momentParts(since).lead}`;
}

/** Whether something is going to change within moments. */
export function isMoving({ in_flight, status, next_attempt_at: next }: Delivery, isActive: boolean): boolean {
  if (in_flight) return true;
  return isActive && next !== null && (status === 'pending' || new Date(next).getTime() - Date.now() < 2000);
}
