import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { formatPlural } from '@/lib/format';
import type { ImportLine, ImportReport } from '../../schema';
import classes from './import-lines.module.css';

const MARKS: Record<ImportLine['outcome'], [Status, string]> = {
  created: ['on', 'New'],
  unchanged: ['off', 'Unchanged'],
  failed: ['bounced', 'Error'],
};

const COLUMNS: DataTableColumn<ImportLine>[] = [
  {
    key: 'outcome',
    header: 'Result',
    width: 124,
    kind: 'mark',
    mobile: 'mark',
    cell: ({ outcome }) => <StatusMark status={MARKS[outcome][0]}>{MARKS[outcome][1]}</StatusMark>,
  },
  {
    key: 'line',
    header: 'Line',
    width: 56,
    kind: 'figure',
    mobile: 'side',
    className: 'soft',
    cell: ({ line }) => line,
  },
  {
    key: 'alias',
    header: 'Alias',
    mobile: 'lead',
    cell: ({ source_local_part: source, destination, code, message }) => (
      <>
        <span className="mono">
          <b className={classes.address}>{source || 'Catch-all'}</b> <span className="soft">→ {destination}</span>
        </span>
        {message && (
          <span className={classes.error}>
            {message} <code>{code}</code>
          </span>
        )}
      </>
    ),
  },
];

/** The preview of an import, errors first. */
export function ImportLines({ report }: { report: ImportReport }) {
  const { created, unchanged, failed } = report;
  const lines = report.lines.toSorted((a, b) => Number(b.outcome === 'failed') - Number(a.outcome === 'failed'));
  return (
    <section className={classes.report} aria-label="Import preview">
      <p role="status">
        {formatPlural(created, 'new alias', 'new aliases')}, {unchanged} unchanged, {formatPlural(failed, 'error')}.
        Nothing has been imported yet.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <div className={classes.lines} tabIndex={0}>
        <DataTable caption="Lines of the file" columns={COLUMNS} rows={lines} rowKey={({ line }) => String(line)} />
      </div>
    </section>
  );
}
