/** How many rows the export of a list has at most. */
export const MAX_EXPORT_ROWS = 100_000;
