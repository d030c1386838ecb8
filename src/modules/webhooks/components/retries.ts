import type { Delivery } from '../schema';

const ATTEMPTS_OF_A_ROUND = 6;

/** How many attempts may still come, the one under way included. After a replay it is the least that there may be. */
export function retriesLeft({ status, is_test, attempt_count: made }: Delivery): number {
  if (status === 'delivered' || status === 'abandoned') return 0;
  if (is_test) return 1;
  return status === 'pending' ? ATTEMPTS_OF_A_ROUND : Math.max(1, ATTEMPTS_OF_A_ROUND - made);
}
