import { NearLink } from '@/components/near-link';
import { PathText } from '@/components/text/path-text';
import type { Entry } from '../operations';
import classes from './operation-rows.module.css';

type OperationRowsProps = { rows: readonly { entry: Entry; fields?: readonly string[] }[] };

/** Links to operations and events, with the fields for which a search found them. */
export function OperationRows({ rows }: OperationRowsProps) {
  return (
    <ul className={classes.rows}>
      {rows.map(({ entry: { id, href, method, path, summary }, fields = [] }) => (
        <li key={id}>
          <NearLink href={href}>{summary}</NearLink>
          <Endpoint method={method} path={path} />
          {fields.length > 0 && (
            <p className="quiet">
              Fields <span className="mono">{fields.join(', ')}</span>
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

export function Endpoint({ method, path }: Pick<Entry, 'method' | 'path'>) {
  return (
    <span className={`mono ${classes.endpoint}`}>
      <b data-method={method}>{method}</b> <PathText>{path}</PathText>
    </span>
  );
}
