import classes from './field-diff.module.css';

type Fields = Record<string, unknown>;

type FieldDiffProps = { before?: object | null; after?: object | null };

/** The changed fields; all fields if the resource was created or deleted. */
export function FieldDiff({ before, after }: FieldDiffProps) {
  const changes = changesBetween((before ?? {}) as Fields, (after ?? {}) as Fields);
  if (before === undefined && after === undefined) return null;
  if (changes.length === 0) return <p className={`soft ${classes.none}`}>No field values changed.</p>;
  return (
    <table className={classes.diff}>
      <caption className="sr-only">Changed fields</caption>
      <thead>
        <tr>
          <th>Field</th>
          <th>Before</th>
          <th>After</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ name, old, current }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{old !== undefined && <del>{old}</del>}</td>
            <td>{current !== undefined && <ins>{current}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Change = { name: string; old: string | undefined; current: string | undefined };

function changesBetween(before: Fields, after: Fields): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => name !== 'updated_at');
  return names
    .map((name) => ({ name, old: textOf(before[name]), current: textOf(after[name]) }))
    .filter(({ old, current }) => old !== current);
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return value === '' ? '(empty)' : value;
  return value === null ? 'null' : JSON.stringify(value);
}
