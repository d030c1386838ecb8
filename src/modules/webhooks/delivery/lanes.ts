import type { Room } from './claim';

/** Endpoints that fail, those that answered promptly just now, any other, and tests. */
export type Lane = 'failing' | 'proven' | 'unproven' | 'test';

type Passenger = { lane: Lane; isLong: boolean; webhookId: string };

// Endpoints that fail have room of their own, and take none from those that do not. Nor do tests.
const MAX_IN_FLIGHT = 512;
const MAX_FAILING = 64;
const MAX_TESTS = 16;
const MAX_TESTS_PER_WEBHOOK = 2;
const MAX_PER_ENDPOINT = 8;
// Many endpoints that begin to hang at once leave room for all others still.
const CROWD = 128;
// Each is read twice and sent within its 10 s: more at once would make each other late.
const MAX_LONG = 2;

/** How much is under way in this process, and so how much more may be. */
export function createLanes() {
  const counts: Record<Lane, number> = { failing: 0, proven: 0, unproven: 0, test: 0 };
  const tests = new Map<string, number>();
  let long = 0;

  function count({ lane, isLong, webhookId }: Passenger, by: 1 | -1): void {
    counts[lane] += by;
    if (isLong) long += by;
    if (lane !== 'test') return;
    const left = (tests.get(webhookId) ?? 0) + by;
    if (left > 0) tests.set(webhookId, left);
    else tests.delete(webhookId);
  }

  return {
    room(): Omit<Room, 'proven'> {
      return {
        wanted: Math.max(0, MAX_IN_FLIGHT - counts.proven - counts.unproven),
        wantedFailing: Math.max(0, MAX_FAILING - counts.failing),
        perEndpoint: MAX_PER_ENDPOINT,
        perUnproven: counts.unproven < CROWD ? 2 : 1,
      };
    },
    hasRoomForLong: () => long < MAX_LONG,
    hasRoomForTest: (webhookId: string) =>
      counts.test < MAX_TESTS && (tests.get(webhookId) ?? 0) < MAX_TESTS_PER_WEBHOOK,
    enter: (passenger: Passenger) => count(passenger, 1),
    leave: (passenger: Passenger) => count(passenger, -1),
  };
}
