import type { HealthDay } from '../schema';
import classes from './check-sparkline.module.css';

const HOURS = 24;
const HOUR_MS = 3_600_000;
const STEP = 3;
const HEIGHT = 16;

type CheckSparklineProps = { hours: HealthDay['hours']; now: number };

/** One bar for each hour of the last day, by the worst status in it; faint where the check wasn't made. */
export function CheckSparkline({ hours, now }: CheckSparklineProps) {
  const statuses = new Map(hours.map(({ at, status }) => [hoursBefore(at, now), status]));
  return (
    <svg
      className={classes.sparkline}
      viewBox={`0 0 ${STEP * HOURS} ${HEIGHT}`}
      width={STEP * HOURS}
      height={HEIGHT}
      aria-hidden="true"
    >
      {Array.from({ length: HOURS }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the hours have a fixed order.
        <rect key={index} data-status={statuses.get(HOURS - 1 - index)} x={STEP * index} width={2} height={HEIGHT} />
      ))}
    </svg>
  );
}

/** The hour that it is now is 0. */
function hoursBefore(at: string, now: number): number {
  return Math.floor(now / HOUR_MS) - Math.floor(Date.parse(at) / HOUR_MS);
}
