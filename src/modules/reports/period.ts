import type { ReportPeriod } from './schema';

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS: Record<ReportPeriod, number> = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 };

export type PeriodRange = { start: Date; end: Date; days: Date[] };

/** The whole UTC days before today, and today. */
export function rangeOf(period: ReportPeriod, now: Date): PeriodRange {
  const start = dayOf(now).getTime() - DAYS[period] * DAY_MS;
  const days = Array.from({ length: DAYS[period] + 1 }, (_, index) => new Date(start + index * DAY_MS));
  return { start: new Date(start), end: now, days };
}

/** The start of the UTC day. */
function dayOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
}

/** A sum as a number that JSON holds exactly; forged reports may claim more. */
export function countOf(sum: bigint | number | null): number {
  return Math.min(Number(sum ?? 0), Number.MAX_SAFE_INTEGER);
}
