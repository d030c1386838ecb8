import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../errors';
import { countRefusal } from '../metrics/metrics';

const MAX_RUNNING = {
  // A fraction of the connections for reads, see db.ts.
  database: 4,
  // These wait up to a minute, without a connection.
  agent: 20,
};
const MAX_WAITING = 100;

const callers = new Map<string, LimitFunction>();

/**
 * Runs the reads of an admin a few at a time, so that slow ones leave connections to everybody else. Those that wait for the
 * mail agent hold up only each other.
 * @throws RATE_LIMIT_EXCEEDED if too many of them wait
 */
export async function limitReads<Result>(
  adminId: string,
  read: () => Promise<Result>,
  from: keyof typeof MAX_RUNNING = 'database',
): Promise<Result> {
  const caller = `${adminId} ${from}`;
  const limit = callers.get(caller) ?? pLimit(MAX_RUNNING[from]);
  callers.set(caller, limit);
  if (limit.pendingCount >= MAX_WAITING) {
    countRefusal('concurrent_reads');
    throw new AppError('RATE_LIMIT_EXCEEDED', 'You have too many requests in progress. Try again when some are done.', {
      headers: { 'Retry-After': '1' },
    });
  }
  try {
    return await limit(read);
  } finally {
    if (limit.activeCount + limit.pendingCount === 0) callers.delete(caller);
  }
}
