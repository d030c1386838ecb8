/** Bars with the same `stackId` are stacked, and those without one. */
export type Series = { name: string; label: string; color: string; stackId?: string };
export type TimeRow = { at: string; label: string; values: Record<string, number> };
