const MAX_DAYS_AHEAD = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A message for so soon is sent at once. */
const SOON_MS = 5_000;

/** @returns what is wrong with a time to send at, or null */
export function sendTimeError(sendAt: Date, now: Date): string | null {
  return sendAt.getTime() > now.getTime() + MAX_DAYS_AHEAD * DAY_MS
    ? `Enter a time at most ${MAX_DAYS_AHEAD} days ahead.`
    : null;
}

export function isSentAtOnce(sendAt: Date, now: Date): boolean {
  return sendAt.getTime() <= now.getTime() + SOON_MS;
}
