/** How many calls the console sends in one request at most. */
export const MAX_BATCH = 20;
