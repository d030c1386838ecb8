import type { ReactNode } from 'react';
import { formatPlural } from '@/lib/format';
import { DataTable, type DataTableColumn } from '../data-table/data-table';
import { type Status, StatusMark } from '../marks/status-mark';
import { FailedLinesButton } from './failed-lines';
import classes from './import-lines.module.css';

type Outcome = 'created' | 'unchanged' | 'failed';

export type Line = {
  line: number;
  outcome: Outcome;
  message: string | null;
  /** The domain of the line, where the file may have several. */
  domain?: string | null;
};

const MARKS: Record<Outcome, [Status, string]> = {
  created: ['on', 'New'],
  unchanged: ['off', 'Unchanged'],
  failed: ['bounced', 'Error'],
};

export type ImportReport<Row extends Line> = {
  dry_run: boolean;
  lines: Row[];
  created: number;
  unchanged: number;
  failed: number;
  failed_csv: string | null;
};

type ImportLinesProps<Row extends Line> = {
  report: ImportReport<Row>;
  /** The imported objects, such as "alias" and "aliases". */
  noun: { one: string; many: string };
  /** The column that names them. */
  header: string;
  name: (line: Row) => ReactNode;
};

/** All lines of a preview, or those that failed in the import, errors first. */
export function ImportLines<Row extends Line>({ report, noun, header, name }: ImportLinesProps<Row>) {
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
  const { dry_run: isPreview, lines, failed_csv: failedCsv } = report;
  const shown = isPreview ? lines : lines.filter(({ outcome }) => outcome === 'failed');
  const rows = shown.toSorted((a, b) => Number(b.outcome === 'failed') - Number(a.outcome === 'failed'));
  return (
    <section className={classes.report} aria-label="Lines of the file">
      <p role="status">{summaryOf(report, noun)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <div className={classes.lines} tabIndex={0}>
        <DataTable caption="Lines of the file" columns={columns} rows={rows} rowKey={({ line }) => String(line)} />
      </div>
      {failedCsv !== null && <FailedLinesButton csv={failedCsv} />}
    </section>
  );
}

function summaryOf(
  { dry_run, created, unchanged, failed }: ImportReport<Line>,
  { one, many }: ImportLinesProps<Line>['noun'],
) {
  const others = `${unchanged} unchanged, ${formatPlural(failed, 'error')}`;
  if (!dry_run) return `Imported ${formatPlural(created, one, many)}, ${others}.`;
  return `${formatPlural(created, `new ${one}`, `new ${many}`)}, ${others}. Nothing has been imported yet.`;
}
