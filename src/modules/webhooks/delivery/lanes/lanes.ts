import type { Room } from '../claim';
import type { Outcome } from '../finish';

/** Failing endpoints, those that responded promptly lately, all others, and tests. */
export type Lane = 'failing' | 'proven' | 'unproven' | 'test';

type Slot = { lane: Lane; isLong: boolean; webhookId: string };

// Failing endpoints and tests have their own limits, so they take no slots from healthy endpoints.
const MAX_IN_FLIGHT = 512;
const MAX_FAILING = 64;
const MAX_TESTS = 16;
/** In all lanes together. */
export const MAX_ATTEMPTS = MAX_IN_FLIGHT + MAX_FAILING + MAX_TESTS;
/** In one claim, for healthy endpoints. While they are attempted, the next ones are claimed. */
const MAX_CLAIMED = 128;
const MAX_TESTS_PER_WEBHOOK = 2;
const MAX_PER_ENDPOINT = 8;
// Above this many unproven attempts, each endpoint gets one, so that many that hang at once don't block the rest.
const CROWDED_ABOVE = 128;
// A long body is read twice and must be sent within 10 s: more at a time would slow each other down. So many to failing endpoints, and
// so many to others.
const MAX_LONG = 2;

/** Counts the attempts in flight in this process and computes how many more may start. */
export function createLanes() {
  const counts: Record<Lane, number> = { failing: 0, proven: 0, unproven: 0, test: 0 };
  const tests = new Map<string, number>();
  const long = { failing: 0, other: 0 };

  function count({ lane, isLong, webhookId }: Slot, by: 1 | -1): void {
    counts[lane] += by;
    if (isLong) long[capacityOf(lane)] += by;
    if (lane !== 'test') return;
    const left = (tests.get(webhookId) ?? 0) + by;
    if (left > 0) tests.set(webhookId, left);
    else tests.delete(webhookId);
  }

  function healthyRoom(): number {
    return Math.min(MAX_CLAIMED, Math.max(0, MAX_IN_FLIGHT - counts.proven - counts.unproven));
  }

  return {
    room(): Omit<Room, 'proven'> {
      return {
        wanted: healthyRoom(),
        wantedFailing: Math.max(0, MAX_FAILING - counts.failing),
        perEndpoint: MAX_PER_ENDPOINT,
        perUnproven: counts.unproven < CROWDED_ABOVE ? 2 : 1,
      };
    },
    hasRoomForFullClaim: () => healthyRoom() === MAX_CLAIMED,
    hasRoomForLong: (lane: Lane) => long[capacityOf(lane)] < MAX_LONG,
    hasRoomForTest: (webhookId: string) =>
      counts.test < MAX_TESTS && (tests.get(webhookId) ?? 0) < MAX_TESTS_PER_WEBHOOK,
    enter: (slot: Slot) => count(slot, 1),
    leave: (slot: Slot) => count(slot, -1),
  };
}

function capacityOf(lane: Lane): 'failing' | 'other' {
  return lane === 'failing' ? 'failing' : 'other';
}

const PROMPT_MS = 1_000;
const PROVEN_FOR_MS = 10_000;

/**
 * Tracks the endpoints whose last attempt succeeded within a second, in the last 10 seconds. Only these get many
 * concurrent attempts, so that an endpoint that starts to hang occupies few slots.
 */
export function createProvenEndpoints() {
  const promptAt = new Map<string, number>();
  return {
    record(webhookId: string, { failure, durationMs }: Outcome, now: number): void {
      if (failure === null && durationMs < PROMPT_MS) promptAt.set(webhookId, now);
      else promptAt.delete(webhookId);
    },
    list(now: number): string[] {
      for (const [id, at] of promptAt) if (now - at > PROVEN_FOR_MS) promptAt.delete(id);
      return [...promptAt.keys()];
    },
  };
}
