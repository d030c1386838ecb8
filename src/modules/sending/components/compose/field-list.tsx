import type { ReactNode } from 'react';
import { StatusMark } from '@/components/marks/status-mark';
import classes from './field-list.module.css';

type FieldListProps = { name: string; error: ReactNode; children: ReactNode };

/** Fields of the same kind, with one error for all. */
export function FieldList({ name, error, children }: FieldListProps) {
  return (
    <fieldset className={classes.list}>
      <legend className="sr-only">{name}</legend>
      {children}
      {error && (
        <p className={classes.error} role="alert">
          <StatusMark status="bounced">{error}</StatusMark>
        </p>
      )}
    </fieldset>
  );
}
