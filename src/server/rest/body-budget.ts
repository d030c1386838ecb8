import { AppError } from '../errors';

/** Bytes of request bodies held at once by this process, over all requests in flight. */
const TOTAL_BYTES = 256 * 1024 * 1024;

let heldBytes = 0;

export type BodyBudget = { take(bytes: number): void; release(): void };

/** One request's share. @throws SERVICE_UNAVAILABLE from `take` where the total would be passed */
export function openBudget(): BodyBudget {
  let ownBytes = 0;
  return {
    take(bytes) {
      if (heldBytes + bytes > TOTAL_BYTES) {
        throw new AppError('SERVICE_UNAVAILABLE', 'Too many large requests are in flight. Try again in a moment.', {
          headers: { 'Retry-After': '2', Connection: 'close' },
        });
      }
      heldBytes += bytes;
      ownBytes += bytes;
    },
    release() {
      heldBytes -= ownBytes;
      ownBytes = 0;
    },
  };
}
