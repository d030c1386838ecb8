import { NearLink } from '@/components/near-link';
import type { Operation } from '../operations';
import classes from './operation-rows.module.css';

type OperationRowsProps = { rows: readonly { operation: Operation; fields?: readonly string[] }[] };

/** Links to operations, with the fields for which a search found them. */
export function OperationRows({ rows }: OperationRowsProps) {
  return (
    <ul className={classes.rows}>
      {rows.map(({ operation, fields = [] }) => (
        <li key={operation.id}>
          <NearLink href={operation.href}>{operation.summary}</NearLink>
          <Endpoint method={operation.method} path={operation.path} />
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

export function Endpoint({ method, path }: Pick<Operation, 'method' | 'path'>) {
  return (
    <span className={`mono ${classes.endpoint}`}>
      <b data-method={method}>{method}</b> {path}
    </span>
  );
}
