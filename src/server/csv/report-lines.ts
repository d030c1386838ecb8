import { csvLine } from '@/lib/csv/csv-line';
import type { ReportedLine } from '@/lib/csv/import-report';
import { type CsvFile, ERROR_COLUMN, mapLines } from './read-csv';

/**
 * Returns the failed lines as CSV, with a last column that says why, or null if none failed. The file can be imported after it
 * was corrected: that column is ignored then. Cells that belong to no column are in one without a name, which fails again.
 */
export async function failedCsv({ header, lines }: CsvFile, outcomes: readonly ReportedLine[]): Promise<string | null> {
  const messages = new Map(
    outcomes.flatMap(({ line, outcome, message }) => (outcome === 'failed' ? [[line, message ?? '']] : [])),
  );
  const failed = lines.filter(({ line }) => messages.has(line));
  if (failed.length === 0) return null;
  const kept = [...header.keys()].filter((index) => header[index] !== ERROR_COLUMN);
  const isAnyLonger = failed.some(({ cells }) => cells.length > header.length);
  const restOf = (cells: string[]) => (isAnyLonger ? [cells.slice(header.length).join(',')] : []);
  const rows = await mapLines(failed, ({ line, cells }) =>
    csvLine([...kept.map((index) => cells[index] ?? ''), ...restOf(cells), messages.get(line) ?? '']),
  );
  return csvLine([...kept.map((index) => header[index] ?? ''), ...restOf([]), ERROR_COLUMN]) + rows.join('');
}

/** Returns the totals of an import, for its report and its audit entry. */
export function countLines(lines: readonly ReportedLine[], isDryRun: boolean) {
  const count = (outcome: ReportedLine['outcome']) => lines.filter((line) => line.outcome === outcome).length;
  return {
    dry_run: isDryRun,
    total: lines.length,
    created: count('created'),
    unchanged: count('unchanged'),
    failed: count('failed'),
  };
}
