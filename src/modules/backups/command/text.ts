import type { Progress } from '../archive/format';
import { amountOf } from '../operations/text';
import type { TableDifference } from '../restore/compare';

const KINDS = ['added', 'changed', 'removed'] as const;

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line for each table with rows, when it is done. */
export function tablePrinter(): (progress: Progress) => void {
  let printed = 0;
  let rowsBefore = 0;
  return ({ table, tables, rows }) => {
    if (tables.done === printed) return;
    if (rows > rowsBefore) print(`  ${table.padEnd(28)}${amountOf(rows - rowsBefore).padStart(14)}`);
    [printed, rowsBefore] = [tables.done, rows];
  };
}

/** Returns lines that list the changes a restore would make, table by table. */
export function differenceText(differences: readonly TableDifference[]): string[] {
  const changed = differences.filter(
    (difference) => difference.leftOut.length > 0 || KINDS.some((kind) => difference[kind] > 0),
  );
  if (changed.length === 0) return ['Nothing would change: the database has what is in the archive.'];
  const columns = ['', ...KINDS].map((title, index) => (index === 0 ? title.padEnd(28) : title.padStart(12)));
  return [columns.join(''), ...changed.flatMap(linesOf)];
}

function linesOf(difference: TableDifference): string[] {
  const counts = KINDS.map((kind) => amountOf(difference[kind]).padStart(12));
  const examples = KINDS.flatMap((kind) => {
    const names = difference.examples[kind];
    const others = difference[kind] - names.length;
    return names.length > 0
      ? [`    ${kind}: ${names.join(', ')}${others > 0 ? ` and ${amountOf(others)} more` : ''}`]
      : [];
  });
  return [
    `${difference.table.padEnd(28)}${counts.join('')}`,
    ...examples,
    ...difference.leftOut.map((sentence) => `    ${sentence}`),
  ];
}
