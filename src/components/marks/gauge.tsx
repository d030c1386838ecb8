import classes from './gauge.module.css';
import type { Tone } from './status-mark';

type GaugeProps = { percent: number; tone: Tone; isWide?: boolean };

export function Gauge({ percent, tone, isWide }: GaugeProps) {
  return (
    <span className={classes.gauge} data-tone={tone} data-wide={isWide || undefined} aria-hidden="true">
      <span style={{ width: `${Math.min(percent, 100)}%` }} />
    </span>
  );
}
