'use client';

import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Notice } from '../layout/notice';
import classes from './failed-rows.module.css';
import type { RowsOutcome } from './use-row-actions';

type FailedRowsProps<Row> = {
  outcome: RowsOutcome<Row>;
  /** The verb of the action, as "Restored" and "restore". */
  action: { done: string; verb: string };
  /** Names a number of rows, as "2 records". */
  countOf: (count: number) => string;
  keyOf: (row: Row) => string;
  nameOf: (row: Row) => ReactNode;
  onDismiss: () => void;
};

/** The result of an action on several rows that failed for some of them, each with its reason. */
export function FailedRows<Row>({ outcome, action, countOf, keyOf, nameOf, onDismiss }: FailedRowsProps<Row>) {
  const { done, failures } = outcome;
  const failed = `Couldn’t ${action.verb} ${countOf(failures.length)}`;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  return (
    <section ref={panel} className={classes.result} tabIndex={-1} aria-label="Result">
      <Notice status="warning" title={done.length === 0 ? failed : `${action.done} ${countOf(done.length)}. ${failed}`}>
        <ul className={classes.failures}>
          {failures.map(({ row, problem }) => (
            <li key={keyOf(row)}>
              {nameOf(row)}: {problem.message}
            </li>
          ))}
        </ul>
        <Button size="xs" onClick={onDismiss}>
          Dismiss
        </Button>
      </Notice>
    </section>
  );
}
