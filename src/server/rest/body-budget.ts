import { AppError } from '../errors';

/**
 * Bytes of request bodies held at once by this process, over all requests in flight. Small bodies have a budget of their
 * own, so that large uploads never keep somebody from signing in or revoking a key.
 */
const TOTAL_BYTES = { small: 64 * 1024 * 1024, large: 256 * 1024 * 1024 };
const SMALL_LIMIT_BYTES = 1024 * 1024;

const heldBytes = { small: 0, large: 0 };

export type BodyBudget = { take(bytes: number, limitBytes: number): void; release(): void };

/** One request's share. @throws SERVICE_UNAVAILABLE from `take` where the total would be passed */
export function reserveBodyBudget(): BodyBudget {
  const own = { small: 0, large: 0 };
  return {
    take(bytes, limitBytes) {
      const size = limitBytes <= SMALL_LIMIT_BYTES ? 'small' : 'large';
      if (heldBytes[size] + bytes > TOTAL_BYTES[size]) {
        throw new AppError('SERVICE_UNAVAILABLE', 'Too many large requests are in flight. Try again in a moment.', {
          headers: { 'Retry-After': '2', Connection: 'close' },
        });
      }
      heldBytes[size] += bytes;
      own[size] += bytes;
    },
    release() {
      for (const size of ['small', 'large'] as const) {
        heldBytes[size] -= own[size];
        own[size] = 0;
      }
    },
  };
}
