import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { AppError } from './errors';

export type CsvLine = { line: number; values: Record<string, string> };

// Cells that spreadsheets read as formulas, as in csv-stringify's escape_formulas.
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
const MAX_LINES = 5000;

/** The rows after the header, each with its line number in the file. @throws VALIDATION_ERROR */
export function readCsv(
  text: string,
  columns: readonly string[],
  required: readonly string[],
  maxLines = MAX_LINES,
): CsvLine[] {
  let records: { record: string[]; info: { lines: number } }[];
  try {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true, trim: true } as const;
    records = parse(text, options) as unknown as typeof records;
  } catch (error) {
    throw invalid(describeFailure(error as Failure));
  }
  const header = records.shift()?.record.map((name) => name.toLowerCase()) ?? [];
  const stray = header.find((name) => !columns.includes(name));
  if (stray !== undefined) throw invalid(`There is no column called “${stray}”. Columns: ${columns.join(', ')}.`);
  const missing = required.find((name) => !header.includes(name));
  if (missing !== undefined) throw invalid(`The column “${missing}” is missing from the first row.`);
  if (records.length > maxLines)
    throw invalid(`Import at most ${maxLines} rows at once; this file has ${records.length}.`);
  return records.map(({ record, info }) => ({
    line: info.lines,
    values: Object.fromEntries(header.map((name, i) => [name, plain(record[i] ?? '')])),
  }));
}

/** Why a row is rejected whose address an earlier row of the file has. */
export function duplicateOf(firstLine: number): { code: 'CONFLICT'; message: string } {
  const message = `Duplicate of line ${firstLine}, which has the same address. Remove one of the lines.`;
  return { code: 'CONFLICT', message };
}

/** What is wrong with the cell of a column. */
export function cellMessage(column: string, message: string): string {
  return `“${column}”: ${message}`;
}

/** One line with its line end. A cell that could start a formula gets an apostrophe before it. */
export function csvLine(cells: readonly string[]): string {
  return stringify([[...cells]], { escape_formulas: true, record_delimiter: 'windows' });
}

/** A value as a cell: nothing for null, a list with commas, anything else but text as JSON. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function plain(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
}

type Failure = Error & { code?: string; lines?: number };

function describeFailure({ code, lines }: Failure): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return 'A quotation mark isn’t closed. Close it, or write it twice inside a cell.';
  return `Line ${lines ?? 1} isn’t valid CSV. Check its quotation marks.`;
}

function invalid(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message, { details: { fields: [{ path: 'csv', message }] } });
}
