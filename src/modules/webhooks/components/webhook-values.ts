import { momentParts } from '@/lib/format';
import type { Delivery, Webhook } from '../schema';

export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'abandoned'] as const;

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
