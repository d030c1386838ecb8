import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../errors';
import { countRefusal } from '../metrics/metrics';

// A fraction of the connections for reads, see db.ts.
const MAX_RUNNING = 4;
const MAX_WAITING = 100;

const callers = new Map<string, LimitFunction>();

/**
 * Runs the reads of an admin a few at a time, so that slow ones leave connections to everybody else.
 * @throws RATE_LIMIT_EXCEEDED if too many of them wait
 */
export async function limitReads<Result>(adminId: string, read: () => Promise<Result>): Promise<Result> {
  const limit = callers.get(adminId) ?? pLimit(MAX_RUNNING);
  callers.set(adminId, limit);
  if (limit.pendingCount >= MAX_WAITING) {
    countRefusal('concurrent_reads');
    throw new AppError('RATE_LIMIT_EXCEEDED', 'You have too many requests in progress. Try again when some are done.', {
      headers: { 'Retry-After': '1' },
    });
  }
  try {
    return await limit(read);
  } finally {
    if (limit.activeCount + limit.pendingCount === 0) callers.delete(adminId);
  }
}
