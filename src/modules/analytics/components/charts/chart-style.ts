import type { AnalyticsPoint } from '../../schema';
import type { timeLabels } from '../labels';

/** So many labels, such as those of a week and today, have room beside each other on a wide screen. */
const MAX_EACH = 8;

/** Returns the props that all charts share. A label that several points have, such as that of a day, is shown at the first. */
export function chartStyle(points: AnalyticsPoint[], { tick }: ReturnType<typeof timeLabels>) {
  const labels = points.map(({ at }) => tick(at));
  const ticks = points.filter((_, index) => labels[index] !== labels[index - 1]).map(({ at }) => at);
  return {
    gridAxis: 'x' as const,
    tickLine: 'none' as const,
    strokeDasharray: '0',
    gridColor: 'var(--rule)',
    textColor: 'var(--ink-2)',
    xAxisProps: {
      tickFormatter: tick,
      ticks,
      minTickGap: ticks.length <= MAX_EACH ? 4 : 24,
      interval: 'equidistantPreserveStart' as const,
    },
    yAxisProps: { width: 56 },
  };
}

/** The points that are over: of others, slow deliveries aren't counted yet, so that they look fast. */
export function finishedPoints<Point extends { until: string }>(points: Point[], now: Date): Point[] {
  const last = points.at(-1);
  const isUnfinished = last !== undefined && Date.parse(last.until) > now.getTime();
  return isUnfinished && points.length > 1 ? points.slice(0, -1) : points;
}
