import type { ReactNode } from 'react';
import { formatCount } from '@/lib/format';
import classes from './count-filter.module.css';

type CountFilterProps<Value extends string> = {
  label: string;
  value: Value | null;
  total: number | undefined;
  counts: { value: Value; title: ReactNode; count: number | undefined }[];
  /** What the numbers count, such as "in 24 h". */
  unit?: string;
  onChange: (value: Value | null) => void;
};

/** A filter by one value, with the number of items of each. */
export function CountFilter<Value extends string>(props: CountFilterProps<Value>) {
  const { label, value, total, counts, unit, onChange } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset adds a border and needs a legend.
    <div className={classes.counts} role="group" aria-label={label}>
      <button type="button" aria-pressed={value === null} onClick={() => onChange(null)}>
        <span>All</span>
        <Count count={total} unit={unit && <small>{unit}</small>} />
      </button>
      {counts.map(({ value: one, title, count }) => (
        <button
          key={one}
          type="button"
          aria-pressed={value === one}
          onClick={() => onChange(value === one ? null : one)}
        >
          {title}
          <Count count={count} unit={unit && <small className="sr-only">{unit}</small>} />
        </button>
      ))}
    </div>
  );
}

function Count({ count, unit }: { count: number | undefined; unit: ReactNode }) {
  return (
    <span>
      <b>{count === undefined ? '–' : formatCount(count)}</b>
      {unit && <> {unit}</>}
    </span>
  );
}
