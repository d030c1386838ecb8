import { finished } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Info, parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { formatCount } from '@/lib/format';
import { AppError } from './errors';

export type CsvLine = {
  line: number;
  values: Record<string, string>;
  /** What is wrong with the row as a whole. */
  problem: string | null;
};

type Row = { record: string[]; info: Info };
type Columns = { names: readonly string[]; required: readonly string[]; maxLines?: number };

// Cells that spreadsheets read as formulas, as in csv-stringify's escape_formulas.
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
const MAX_LINES = 5000;
const MAX_ROW_LENGTH = 32_768;
/** The parser takes some 50 µs for a row that has fewer or more cells than the first. */
const SLICE_BYTES = 1_024;
const TURN_MS = 10;

/** The cell of `active`: false only if it says so, in letters of either case. */
export const ActiveCell = z
  .string()
  .toLowerCase()
  .pipe(z.enum(['', 'true', 'false'], 'Enter true or false.'))
  .transform((text) => text !== 'false');

/**
 * Reads the rows after the header, each with its line number in the file. Cells are separated by commas, semicolons or tabs. The
 * limits hold while the text is read, in slices that other work comes between.
 * @throws VALIDATION_ERROR
 */
export async function readCsv(text: string, columns: Columns): Promise<CsvLine[]> {
  const { maxLines = MAX_LINES } = columns;
  const lines: CsvLine[] = [];
  let header: string[] | undefined;
  await eachRow(text, ({ record, info }) => {
    if (!header) header = headerOf(record, columns);
    else if (lines.length < maxLines) lines.push(lineOf(header, record, info.lines));
    else throw invalid(`Import at most ${maxLines} rows at once. Split the file, and import the parts.`);
  });
  if (!header) headerOf([], columns);
  return lines;
}

/** Reads each line, in turns that other work comes between. */
export async function mapLines<Result>(lines: CsvLine[], read: (line: CsvLine) => Result): Promise<Result[]> {
  const results: Result[] = [];
  let turnEndsAt = performance.now() + TURN_MS;
  for (const line of lines) {
    if (performance.now() > turnEndsAt) {
      await nextTurn();
      turnEndsAt = performance.now() + TURN_MS;
    }
    results.push(read(line));
  }
  return results;
}

async function eachRow(text: string, onRow: (row: Row) => void): Promise<void> {
  rejectLongLine(text);
  const { delimiter, firstLine } = delimiterOf(text);
  const parser = parse({
    bom: true,
    delimiter,
    from_line: firstLine,
    info: true,
    max_record_size: MAX_ROW_LENGTH,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  });
  let failure: unknown;
  const isRead = finished(parser).catch((error: Failure) => {
    failure ??= error.code === 'CSV_MAX_RECORD_SIZE' ? tooLong(error.lines ?? 1) : invalid(describeFailure(error));
  });
  parser.on('data', (row: Row) => {
    if (failure) return;
    try {
      onRow(row);
    } catch (error) {
      failure = error;
    }
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.byteLength && !failure; at += SLICE_BYTES) {
    await new Promise((resolve) => parser.write(bytes.subarray(at, at + SLICE_BYTES), resolve));
    await nextTurn();
  }
  if (failure) parser.destroy();
  else parser.end();
  await isRead;
  if (failure) throw failure;
}

/** Checked beforehand, because the parser's limit doesn't count empty cells. */
function rejectLongLine(text: string): void {
  let [line, start] = [1, 0];
  for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) {
    if (index - start > MAX_ROW_LENGTH) throw tooLong(line);
    start = index + end.length;
    line += 1;
  }
  if (text.length - start > MAX_ROW_LENGTH) throw tooLong(line);
}

function tooLong(line: number): AppError {
  return invalid(`Line ${line} has more than ${formatCount(MAX_ROW_LENGTH)} characters.`);
}

/** Returns the separator of cells: the one that a first line `sep=;` of Excel names, or that the header has most of. */
function delimiterOf(text: string): { delimiter: string; firstLine: number } {
  const end = text.search(/[\r\n]/);
  const first = (end < 0 ? text : text.slice(0, end)).replace(/^\ufeff/, '');
  const [, named] = /^sep=([,;|\t])$/i.exec(first) ?? [];
  if (named) return { delimiter: named, firstLine: 2 };
  const [delimiter = ','] = [',', ';', '\t'].toSorted(
    (one, other) => first.split(other).length - first.split(one).length,
  );
  return { delimiter, firstLine: 1 };
}

function headerOf(record: string[], { names, required }: Columns): string[] {
  const header = record.map((name) => name.toLowerCase());
  const stray = header.find((name) => !names.includes(name));
  if (stray !== undefined)
    throw invalid(`There is no column called “${stray.slice(0, 100)}”. Columns: ${names.join(', ')}.`);
  const repeated = header.find((name, index) => header.indexOf(name) !== index);
  if (repeated !== undefined) throw invalid(`The column “${repeated}” is in the first row twice.`);
  const missing = required.find((name) => !header.includes(name));
  if (missing !== undefined) throw invalid(`The column “${missing}” is missing from the first row.`);
  return header;
}

function lineOf(header: string[], record: string[], line: number): CsvLine {
  const values = Object.fromEntries(header.map((name, i) => [name, plain(record[i] ?? '')]));
  const isTooLong = record.slice(header.length).some((cell) => cell !== '');
  const problem = isTooLong
    ? `This row has ${record.length} cells, and the first row has ${header.length}. Put a cell that contains the separator in quotation marks.`
    : null;
  return { line, values, problem };
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
