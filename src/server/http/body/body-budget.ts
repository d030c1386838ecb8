import { AppError } from '../../errors';

const KB = 1024;
const MB = 1024 * KB;

/**
 * The bytes of request bodies that this process holds, over all requests. The first bytes of every body count against the
 * small budget and the rest against the large one, so small bodies never wait for uploads.
 */
const SMALL_BODY_BYTES = 64 * KB;
const BUDGETS = {
  small: { totalBytes: 64 * MB, shareBytes: 8 * MB },
  // The share is more than the largest message or batch.
  large: { totalBytes: 256 * MB, shareBytes: 128 * MB },
};
const EVICTABLE_AFTER_MS = 1_000;

type Size = keyof typeof BUDGETS;

export type BodyBudget = {
  /** Counts bytes that arrived. @throws SERVICE_UNAVAILABLE if they exceed the total or the caller's share */
  take(bytes: number): void;
  /**
   * Aborted with an AppError if the body has to make room for others, which happens only while it arrives. Made when it is
   * first used, because most calls have no body.
   */
  readonly signal: AbortSignal;
  /** The body has arrived. It is held until `release`. */
  complete(): void;
  release(): void;
};

type Held = Record<Size, number>;
type Body = { held: Held; startedAt: number; isArriving: boolean; evict(): void };

const bodies = new Set<Body>();
const total: Held = { small: 0, large: 0 };
const shares = new Map<string, Held & { bodies: number }>();

/** The budget of one request's body. @param caller who shares with whom: an admin id or a client address */
export function reserveBodyBudget(caller: string): BodyBudget {
  let aborting: AbortController | undefined;
  let eviction: AppError | null = null;
  const share = shares.get(caller) ?? { small: 0, large: 0, bodies: 0 };
  shares.set(caller, share);
  share.bodies += 1;
  const body: Body = {
    held: { small: 0, large: 0 },
    startedAt: performance.now(),
    isArriving: true,
    evict() {
      release();
      eviction = unavailable('The body arrived too slowly while others were waiting. Try again.');
      aborting?.abort(eviction);
    },
  };
  bodies.add(body);

  function takeFrom(size: Size, bytes: number): void {
    const { totalBytes, shareBytes } = BUDGETS[size];
    if (share[size] + bytes > shareBytes) {
      throw unavailable('You have too many large requests in progress. Try again when some are done.');
    }
    while (total[size] + bytes > totalBytes) {
      const slowest = slowestOf(size, body);
      if (!slowest) throw unavailable('The server is handling too many large requests. Try again in a moment.');
      slowest.evict();
    }
    for (const held of [body.held, share, total]) held[size] += bytes;
  }

  function release(): void {
    if (!bodies.delete(body)) return;
    for (const size of ['small', 'large'] as const) {
      share[size] -= body.held[size];
      total[size] -= body.held[size];
    }
    share.bodies -= 1;
    if (share.bodies === 0) shares.delete(caller);
  }

  return {
    get signal() {
      aborting ??= new AbortController();
      if (eviction) aborting.abort(eviction);
      return aborting.signal;
    },
    take(bytes) {
      if (eviction) throw eviction;
      const small = Math.min(bytes, SMALL_BODY_BYTES - body.held.small);
      if (small > 0) takeFrom('small', small);
      if (bytes > small) takeFrom('large', bytes - small);
    },
    complete() {
      body.isArriving = false;
    },
    release,
  };
}

/** Returns the body with the lowest rate among those that are still arriving. */
function slowestOf(size: Size, exception: Body): Body | undefined {
  const now = performance.now();
  const rateOf = ({ held, startedAt }: Body) => (held.small + held.large) / (now - startedAt);
  return [...bodies]
    .filter((body) => body !== exception && body.isArriving && body.held[size] > 0)
    .filter((body) => now - body.startedAt > EVICTABLE_AFTER_MS)
    .sort((one, other) => rateOf(one) - rateOf(other))[0];
}

function unavailable(message: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', message, { headers: { 'Retry-After': '2', Connection: 'close' } });
}
