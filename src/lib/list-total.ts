/** How far a list counts its rows. */
export const MAX_TOTAL = 10_000;
