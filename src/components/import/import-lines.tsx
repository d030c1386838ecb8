import type { ReactNode } from 'react';
import { DataTable, type DataTableColumn } from '../data-table/data-table';
import { type Status, StatusMark } from '../marks/status-mark';
import { FailedLinesButton } from './failed-lines';
import classes from './import-lines.module.css';

type Outcome = 'created' | 'unchanged' | 'failed';

type Line = { line: number; outcome: Outcome; message: string | null };

const MARKS: Record<Outcome, [Status, string]> = {
  created: ['on', 'New'],
  unchanged: ['off', 'Unchanged'],
  failed: ['bounced', 'Error'],
};

type ImportLinesProps<Row extends Line> = {
  lines: Row[];
  /** What a line is about, such as "Alias". */
  header: string;
  name: (line: Row) => ReactNode;
  /** How many lines have which outcome. */
  summary: string;
  failedCsv: string | null;
};

/** The lines of an import, errors first. */
export function ImportLines<Row extends Line>({ lines, header, name, summary, failedCsv }: ImportLinesProps<Row>) {
  const columns: DataTableColumn<Row>[] = [
    {
      header: 'Result',
      width: 124,
      kind: 'mark',
      mobile: 'mark',
      cell: ({ outcome }) => <StatusMark status={MARKS[outcome][0]}>{MARKS[outcome][1]}</StatusMark>,
    },
    {
      header: 'Line',
      width: 56,
      kind: 'figure',
      mobile: 'side',
      className: 'soft',
      cell: ({ line }) => line,
    },
    {
      key: 'name',
      header,
      mobile: 'lead',
      cell: (row) => (
        <>
          <span className="mono">{name(row)}</span>
          {row.message && <span className={classes.error}>{row.message}</span>}
        </>
      ),
    },
  ];
  const rows = lines.toSorted((a, b) => Number(b.outcome === 'failed') - Number(a.outcome === 'failed'));
  return (
    <section className={classes.report} aria-label="Lines of the file">
      <p role="status">{summary}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <div className={classes.lines} tabIndex={0}>
        <DataTable caption="Lines of the file" columns={columns} rows={rows} rowKey={({ line }) => String(line)} />
      </div>
      {failedCsv !== null && <FailedLinesButton csv={failedCsv} />}
    </section>
  );
}
