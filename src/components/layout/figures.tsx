import type { ReactNode } from 'react';
import { formatCount } from '@/lib/format';
import classes from './figures.module.css';

type Figure = { key: string; title: ReactNode; value: number | undefined; caption: string };

/** A row of large numbers. A value that is undefined is loading. */
export function Figures({ figures }: { figures: Figure[] }) {
  return (
    <dl className={classes.figures} aria-busy={figures.some(({ value }) => value === undefined)}>
      {figures.map(({ key, title, value, caption }) => (
        <div key={key}>
          <dt>{title}</dt>
          <dd>
            <b>{value === undefined ? '–' : formatCount(value)}</b>
            <span>{caption}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
