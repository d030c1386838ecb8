import type { ReactNode } from 'react';
import { formatCount } from '@/lib/format';
import classes from './count-filter.module.css';

type CountFilterProps<Value extends string> = {
  label: string;
  value: Value | null;
  total: number | undefined;
  counts: { value: Value; title: ReactNode; count: number | undefined }[];
  /** The part of the total that none of the counts has, such as "2 submitting". */
  note?: { text: string; title: string };
  /** The time that the numbers cover, such as "last 24 hours". */
  period?: string;
  /** Whether there can be more of each: not all were counted. */
  isAtLeast?: boolean;
  onChange: (value: Value | null) => void;
};

/** A filter by one value, with the number of items of each. */
export function CountFilter<Value extends string>(props: CountFilterProps<Value>) {
  const { label, value, total, note, counts, period, isAtLeast, onChange } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset adds a border and needs a legend.
    <div
      className={classes.counts}
      data-many={counts.length > FEW || undefined}
      role="group"
      aria-label={period ? `${label}, ${period}` : label}
    >
      <button type="button" aria-pressed={value === null} onClick={() => onChange(null)}>
        <span>All{period && <small> {period}</small>}</span>
        <span key={total} className={classes.total} title={note?.title}>
          <Count count={total} isAtLeast={isAtLeast} />
          {note && <small>, {note.text}</small>}
        </span>
      </button>
      {counts.map(({ value: one, title, count }) => (
        <button
          key={one}
          type="button"
          aria-pressed={value === one}
          onClick={() => onChange(value === one ? null : one)}
        >
          {title}
          <Count count={count} isAtLeast={isAtLeast} />
        </button>
      ))}
    </div>
  );
}

/** Beside the count of all. */
const FEW = 4;

function Count({ count, isAtLeast }: { count: number | undefined; isAtLeast: boolean | undefined }) {
  // Another count is another element: its place follows from its width, which would count as a shift.
  return <b key={count}>{count === undefined ? '–' : `${formatCount(count)}${isAtLeast ? '+' : ''}`}</b>;
}
