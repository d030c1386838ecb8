import type { ReactElement, ReactNode } from 'react';
import { formatCount } from '@/lib/format';
import { NearLink } from '../near-link';
import classes from './figures.module.css';

type Figure = {
  key: string;
  title: ReactNode;
  value: number | string | ReactElement | undefined;
  caption: ReactNode;
  /** The page that shows what the value counts. */
  href?: string;
};

/** A row of large numbers. A value that is undefined is loading. */
export function Figures({ figures }: { figures: Figure[] }) {
  return (
    <dl className={classes.figures} aria-busy={figures.some(({ value }) => value === undefined)}>
      {figures.map(({ key, title, value, caption, href }) => (
        <div key={key}>
          <dt>{title}</dt>
          <dd>
            <b>{href ? <NearLink href={href}>{shown(value)}</NearLink> : shown(value)}</b>
            <span>{caption}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function shown(value: Figure['value']): ReactNode {
  if (value === undefined) return '–';
  return typeof value === 'number' ? formatCount(value) : value;
}
