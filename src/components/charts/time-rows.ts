export type Series = { name: string; label: string; color: string };
export type TimeRow = { at: string; label: string; values: Record<string, number> };
