import { csvLine } from '@/lib/csv/csv-line';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { Analytics, AnalyticsPoint, BreakdownEntry, ExportAnalytics } from './schema';
import { getAnalytics } from './service';

const COUNTS = [
  'sent',
  'delivered',
  'bounced',
  'deferred',
  'failed',
  'received',
  'spam',
  'delivery_rate',
  'bounce_rate',
] as const;
const MORE_COUNTS = ['in_transit', 'rejected', 'uncertain', 'submitting', 'undelivered'] as const;
const PERCENTILES = ['p50', 'p95', 'p99'] as const;

export async function exportAnalytics(ctx: ActorContext, { format, ...input }: ExportAnalytics): Promise<FileOutput> {
  const analytics = await getAnalytics(ctx, input);
  const [first, last] = [analytics.start, analytics.end].map((at) => at.slice(0, 10));
  const about = analytics.dimension ?? 'messages';
  return { filename: `analytics-${about}-${first}-${last}.${format}`, chunks: lines(analytics) };
}

async function* lines({ dimension, breakdown, series }: Analytics): AsyncGenerator<string> {
  if (dimension) {
    yield csvLine([dimension, 'label', ...COUNTS]);
    for (const entry of breakdown) yield csvLine(breakdownCells(entry));
    return;
  }
  yield csvLine(['at', 'until', ...COUNTS, ...MORE_COUNTS, ...PERCENTILES.map((name) => `delivery_seconds_${name}`)]);
  for (const point of series) yield csvLine(pointCells(point));
}

function breakdownCells(entry: BreakdownEntry): string[] {
  return [entry.value ?? '', entry.label ?? '', ...COUNTS.map((name) => cell(entry[name]))];
}

function pointCells(point: AnalyticsPoint): string[] {
  const counts = [...COUNTS, ...MORE_COUNTS].map((name) => cell(point[name]));
  return [point.at, point.until, ...counts, ...PERCENTILES.map((name) => cell(point.delivery_seconds[name]))];
}

function cell(value: number | null): string {
  return value === null ? '' : String(value);
}
