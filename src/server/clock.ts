export type Clock = { now(): Date };

/** Tolerated difference between the clocks of instances, and to those of other servers. */
export const CLOCK_TOLERANCE_SECONDS = 60;

export const systemClock: Clock = { now: () => new Date() };
