import { formatPlural } from '@/lib/format';
import type { Delivery } from '../../schema';
import classes from './attempt-dots.module.css';

const STEP = 12;
const MAX_SHOWN = 6;

/** A square per failed attempt, a disc for the successful one, and a dotted circle per remaining attempt. */
export function AttemptDots({ delivery }: { delivery: Delivery }) {
  const { attempts, attempts_left } = delivery;
  const left = Math.min(attempts_left, attempts.length > 0 ? MAX_SHOWN - 1 : MAX_SHOWN);
  const made = attempts.slice(-Math.max(1, MAX_SHOWN - left));
  const width = (made.length + left) * STEP;
  return (
    <span className={classes.dots}>
      <span className="sr-only">{describe(delivery)}</span>
      <svg width={width} height="10" viewBox={`0 0 ${width} 10`} aria-hidden="true">
        {made.map(({ number, failure }, index) =>
          failure === null ? (
            <circle key={number} className={classes.succeeded} cx={index * STEP + 5} cy="5" r="4.5" />
          ) : (
            <rect key={number} className={classes.failed} x={index * STEP + 1} y="1" width="8" height="8" />
          ),
        )}
        {Array.from({ length: left }, (_, index) => (
          <circle
            key={keyOf(index)}
            className={classes.remaining}
            cx={(made.length + index) * STEP + 5}
            cy="5"
            r="3.75"
          />
        ))}
      </svg>
    </span>
  );
}

function describe({ attempt_count: made, attempts_left: left }: Delivery): string {
  const words = formatPlural(made, 'attempt');
  return left === 0 ? words : `${words}, up to ${left} more`;
}

function keyOf(index: number): string {
  return `left-${index}`;
}
