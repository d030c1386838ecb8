import type { DeliverySeconds } from './schema';

/** As in `analytics_bin` in the database: bins are 5 % wide and start at 10 ms, so a value in the middle is within 2.5 %. */
const FIRST_BIN_SECONDS = 0.01;
const BIN_WIDTH = 1.05;

export type Bin = { bin: number; count: number };

/** Percentiles of times that are counted by bin, by nearest rank. */
export function percentilesOf(counted: readonly Bin[]): DeliverySeconds {
  const bins = counted.toSorted((one, other) => one.bin - other.bin);
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  return { p50: percentile(bins, total, 50), p95: percentile(bins, total, 95), p99: percentile(bins, total, 99) };
}

function percentile(bins: readonly Bin[], total: number, percent: number): number | null {
  let below = 0;
  for (const { bin, count } of bins) {
    below += count;
    if (below * 100 >= total * percent) return secondsOf(bin);
  }
  return null;
}

function secondsOf(bin: number): number {
  return Number((FIRST_BIN_SECONDS * BIN_WIDTH ** (bin + 0.5)).toPrecision(3));
}
