import { AppError } from '../../errors';

/**
 * Limits the bytes of request bodies that this process holds, over all requests in flight. Small bodies have a budget of
 * their own, so large uploads never keep anyone from signing in or revoking a key.
 */
const TOTAL_BYTES = { small: 64 * 1024 * 1024, large: 256 * 1024 * 1024 };
const SMALL_LIMIT_BYTES = 1024 * 1024;

const heldBytes = { small: 0, large: 0 };

export type BodyBudget = { take(bytes: number, limitBytes: number): void; release(): void };

/** One request's share. `take` @throws SERVICE_UNAVAILABLE if the total would be exceeded */
export function reserveBodyBudget(): BodyBudget {
  const own = { small: 0, large: 0 };
  return {
    take(bytes, limitBytes) {
      const size = limitBytes <= SMALL_LIMIT_BYTES ? 'small' : 'large';
      if (heldBytes[size] + bytes > TOTAL_BYTES[size]) {
        throw new AppError(
          'SERVICE_UNAVAILABLE',
          'The server is handling too many large requests. Try again in a moment.',
          {
            headers: { 'Retry-After': '2', Connection: 'close' },
          },
        );
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
