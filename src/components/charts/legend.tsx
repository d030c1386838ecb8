import type { CSSProperties } from 'react';
import classes from './legend.module.css';
import type { Series } from './time-rows';

/** Names what a chart shows. The legend of the chart's library appears late, and changes its order. */
export function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul className={classes.legend}>
      {series.map(({ name, label, color }) => (
        <li key={name} style={{ '--color': color } as CSSProperties}>
          {label}
        </li>
      ))}
    </ul>
  );
}
