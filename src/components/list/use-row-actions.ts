'use client';

import { useRef, useState } from 'react';
import { type Problem, toProblem } from '../api/problem';
import { dismissResult, type Notice, notify } from '../notifications';

type RowActionsOptions<Row> = {
  keyOf: (row: Row) => string;
  nameOf: (rows: Row[]) => string;
  /** Refetches the list. */
  refresh: () => Promise<unknown>;
};

type RowAction<Row, Result> = {
  rows: Row[];
  /** Names the action if it fails, such as "delete". */
  verb: string;
  act: (row: Row) => Promise<Result>;
  /** The notification. */
  text: (done: Row[], results: Result[]) => string;
  undo?: (done: Row[]) => void;
  link?: Notice['link'];
  /** Shown until the rows are refetched. */
  change?: (row: Row) => Partial<Row>;
  /** Called before the notification, such as to close a dialog, with the rows that didn't fail. */
  onDone?: (done: Row[]) => void;
  takesFocus?: boolean;
  /** Makes a failure of one row no failure of the others, and takes all failures instead of a notification. */
  onFailures?: (failures: Failure<Row>[], done: Row[]) => void;
};

type Failure<Row> = { row: Row; problem: Problem };

export type RowsOutcome<Row> = { done: Row[]; failures: Failure<Row>[] };

/**
 * Changes rows one at a time and reports the result, with Undo where the action has one. A failure stops the action, unless
 * it takes failures by row.
 * Changes are shown immediately; the list is refetched after the last one.
 */
export function useRowActions<Row extends object>({ keyOf, nameOf, refresh }: RowActionsOptions<Row>) {
  const [changes, setChanges] = useState<ReadonlyMap<string, Partial<Row>>>(new Map());
  const [running, setRunning] = useState(0);
  const queue = useRef(Promise.resolve());
  const unfinished = useRef(0);

  const run = <Result>(action: RowAction<Row, Result>) => {
    const { rows, change } = action;
    dismissResult();
    if (change) {
      setChanges((before) => {
        const added = rows.map((row) => [keyOf(row), { ...before.get(keyOf(row)), ...change(row) }] as const);
        return new Map([...before, ...added]);
      });
    }
    unfinished.current += 1;
    setRunning((count) => count + 1);
    queue.current = queue.current.then(async () => {
      const outcome = await actOnEach(action);
      setRunning((count) => count - 1);
      action.onDone?.(outcome.done);
      report(action, outcome, nameOf);
      if (unfinished.current === 1) await refresh();
      unfinished.current -= 1;
      if (unfinished.current === 0) setChanges(new Map());
    });
  };

  return {
    run,
    isBusy: running > 0,
    /** The row with its changes that are not refetched yet. */
    latest: (row: Row): Row => ({ ...row, ...changes.get(keyOf(row)) }),
  };
}

export type RowActions<Row extends object> = ReturnType<typeof useRowActions<Row>>;

type ActiveActionsOptions<Row> = RowActionsOptions<Row> & {
  update: (row: Row, change: { active: boolean }) => Promise<unknown>;
};

/** The actions of rows that can be activated and deactivated. */
export function useActiveActions<Row extends { active: boolean }>({ update, ...options }: ActiveActionsOptions<Row>) {
  const actions = useRowActions<Row>(options);
  const setActive = (rows: Row[], active: boolean): void =>
    actions.run({
      rows,
      verb: active ? 'activate' : 'deactivate',
      act: (row) => update(row, { active }),
      text: (done) => `${active ? 'Activated' : 'Deactivated'} ${options.nameOf(done)}`,
      // The rows as they are after the change, whose version is another.
      undo: (done) =>
        setActive(
          done.map((row) => ({ ...row, active })),
          !active,
        ),
      change: () => ({ active }) as Partial<Row>,
    });
  return { ...actions, setActive };
}

type Outcome<Row, Result> = RowsOutcome<Row> & { results: Result[] };

async function actOnEach<Row, Result>(action: RowAction<Row, Result>): Promise<Outcome<Row, Result>> {
  const { rows, act, onFailures } = action;
  const outcome: Outcome<Row, Result> = { done: [], results: [], failures: [] };
  for (const [index, row] of rows.entries()) {
    try {
      outcome.results.push(await act(row));
      outcome.done.push(row);
    } catch (error) {
      const problem = toProblem(error);
      // The server would fail for the others as well, each after a wait.
      const isOfAll = !onFailures || problem.status >= SERVER_ERROR || problem.code === 'NO_RESPONSE';
      const failed = isOfAll ? rows.slice(index) : [row];
      outcome.failures.push(...failed.map((each) => ({ row: each, problem })));
      if (isOfAll) break;
    }
  }
  return outcome;
}

const SERVER_ERROR = 500;

function report<Row, Result>(
  { verb, text, undo, link, takesFocus, onFailures }: RowAction<Row, Result>,
  { done, results, failures }: Outcome<Row, Result>,
  nameOf: (rows: Row[]) => string,
): void {
  const undoDone = undo && done.length > 0 ? () => undo(done) : undefined;
  const [failure] = failures;
  if (failure && onFailures) onFailures(failures, done);
  else if (failure) {
    const failed = failures.map(({ row }) => row);
    notify({ text: `Couldn’t ${verb} ${nameOf(failed)}`, problem: failure.problem, undo: undoDone });
  } else notify({ text: text(done, results), undo: undoDone, link, takesFocus });
}
