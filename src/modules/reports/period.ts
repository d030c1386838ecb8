import type { GetDomainResults, ReportPeriod } from './schema';

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS: Record<Exclude<ReportPeriod, 'custom'>, number> = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 };

export type PeriodRange = { start: Date; end: Date; days: Date[] };

type Period = Pick<GetDomainResults, 'period' | 'start' | 'end'>;

/** The whole UTC days before today, and today, or those of a custom period, of which the days to come are left out. */
export function rangeOf({ period, start: first, end: last }: Period, now: Date): PeriodRange {
  const today = dayOf(now).getTime();
  const start = period === 'custom' ? Date.parse(first ?? '') : today - DAYS[period] * DAY_MS;
  const lastDay = last === undefined ? today : Math.min(Date.parse(last), today);
  const length = Math.max(0, (lastDay - start) / DAY_MS + 1);
  const days = Array.from({ length }, (_, index) => new Date(start + index * DAY_MS));
  return { start: new Date(start), end: lastDay === today ? now : new Date(lastDay + DAY_MS - 1), days };
}

/** The start of the UTC day. */
function dayOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
}

/** A sum as a number that JSON holds exactly; forged reports may claim more. */
export function countOf(sum: bigint | number | null): number {
  return Math.min(Number(sum ?? 0), Number.MAX_SAFE_INTEGER);
}
