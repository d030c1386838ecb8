import type { ChangedLine, FieldChange } from '@/lib/changes/record-changes';
import classes from './change-list.module.css';

/** The changes to a record: each field with its lines, those removed and added marked by sign and color. */
export function ChangeList({ changes, label }: { changes: FieldChange[]; label: string }) {
  return (
    <dl className={classes.changes} aria-label={label}>
      {changes.map(({ field, label: name, lines }) => (
        <div key={field} className={classes.field}>
          <dt>{name}</dt>
          <dd>
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines can be equal, and their order is fixed.
              <Line key={index} {...line} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Line({ sign, text }: ChangedLine) {
  if (sign === 'added') return <ins>{text}</ins>;
  if (sign === 'removed') return <del>{text}</del>;
  return <span data-sign={sign}>{text}</span>;
}
