import classes from './sparkline.module.css';

const WIDTH = 120;
const HEIGHT = 24;
const GAP = 1;
const LEAST_HEIGHT = 2;

/** Small bars without an axis, as high as the largest. They are decoration: show the figures elsewhere too. */
export function Sparkline({ values = [], color }: { values: readonly number[] | undefined; color: string }) {
  return (
    <svg className={classes.sparkline} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <rect y={HEIGHT - 1} width={WIDTH} height={1} fill="var(--rule)" />
      <path d={barsOf(values)} fill={color} />
    </svg>
  );
}

function barsOf(values: readonly number[]): string {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length);
  return values
    .map((value, index) => {
      const height = value === 0 ? 0 : Math.max(LEAST_HEIGHT, (value / most) * HEIGHT);
      return `M${(index * step).toFixed(2)} ${HEIGHT}v${-height}h${(step - GAP).toFixed(2)}v${height}z`;
    })
    .join('');
}
