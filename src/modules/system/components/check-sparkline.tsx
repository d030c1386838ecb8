import type { HealthCheck, HealthDay } from '../schema';
import classes from './check-sparkline.module.css';

const WIDTH = 72;
const HEIGHT = 20;
const HOURS = 24;
const HOUR_MS = 3_600_000;
/** A line of fewer says nothing. */
const MIN_HOURS = 3;

type Point = HealthDay['hours'][number];
type CheckSparklineProps = { hours: Point[]; now: number; threshold: HealthCheck['threshold'] };

/** The values of a check in the last day, hour by hour, above a mark for each hour in which it wasn't ok. */
export function CheckSparkline({ hours, now, threshold }: CheckSparklineProps) {
  const x = ({ at }: Point) => WIDTH * Math.max(0, 1 - (now - Date.parse(at)) / (HOURS * HOUR_MS));
  return (
    <svg
      className={classes.sparkline}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
    >
      <line x1={0} x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} />
      {hours.length >= MIN_HOURS && <polyline points={pointsOf(hours, x, threshold)} />}
      {hours
        .filter(({ status }) => status === 'degraded' || status === 'down')
        .map((hour) => (
          <rect key={hour.at} data-status={hour.status} x={x(hour)} y={HEIGHT - 2} width={WIDTH / HOURS} height={2} />
        ))}
    </svg>
  );
}

/** From 0 to the limit, or to what is beyond it, so that only what matters is a slope. A check without values is a level line. */
function pointsOf(hours: Point[], x: (hour: Point) => number, threshold: CheckSparklineProps['threshold']): string {
  const highest = Math.max(threshold?.degraded ?? 0, ...hours.map(({ value }) => value ?? 0));
  const [top, bottom] = [2, HEIGHT - 5];
  const y = (value: number | null) => {
    if (value === null || highest === 0) return (top + bottom) / 2;
    return bottom - (value / highest) * (bottom - top);
  };
  return hours.map((hour) => `${x(hour).toFixed(1)},${y(hour.value).toFixed(1)}`).join(' ');
}
