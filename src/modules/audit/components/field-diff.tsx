type Fields = Record<string, unknown>;

type FieldDiffProps = { before?: object | null; after?: object | null };

/** Field by field, only what differs; everything of what was made or is gone. */
export function FieldDiff({ before, after }: FieldDiffProps) {
  const changes = changesBetween((before ?? {}) as Fields, (after ?? {}) as Fields);
  if (before === undefined && after === undefined) return null;
  if (changes.length === 0) return <p className="soft audit-more">No field changed its value.</p>;
  return (
    <table className="diff">
      <caption className="sr-only">Changed fields</caption>
      <thead>
        <tr>
          <th>Field</th>
          <th>Before</th>
          <th>After</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ name, old, now }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{old !== undefined && <del>{old}</del>}</td>
            <td>{now !== undefined && <ins>{now}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Change = { name: string; old: string | undefined; now: string | undefined };

function changesBetween(before: Fields, after: Fields): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => name !== 'updated_at');
  return names
    .map((name) => ({ name, old: textOf(before[name]), now: textOf(after[name]) }))
    .filter(({ old, now }) => old !== now);
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return value === '' ? '(empty)' : value;
  return value === null ? 'null' : JSON.stringify(value);
}
