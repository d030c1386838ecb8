import { finished } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Info, parse } from 'csv-parse';
import { withoutApostrophe } from '@/lib/csv/csv-line';
import { formatCount } from '@/lib/format';
import { AppError } from '../errors';
import { cellMessage } from './cells';

export type CsvLine = {
  line: number;
  /** As they are in the file. */
  cells: string[];
  /** By column, and by the names that the file uses for them. */
  values: Record<string, string>;
  /** The error of the row as a whole; null if there is none. */
  problem: string | null;
};

/** The columns in their order, as the file names them but for spelling, and the rows after them. */
export type CsvFile = { header: string[]; lines: CsvLine[] };

type Row = { record: string[]; info: Info };
type Columns = {
  names: readonly string[];
  required: readonly string[];
  /** Other names that a file may use for columns, each with the column's own name. */
  synonyms?: Readonly<Record<string, string>>;
  /** Synonyms that are ignored where another column has the name. */
  secondary?: readonly string[];
  /** Columns of the export that can't be imported. */
  ignored?: readonly string[];
  /** A column whose cells may begin or end with spaces, or begin with an apostrophe. */
  exact?: string;
  maxLines?: number;
};

/** The column that says why a line failed, in the file of failed lines. */
export const ERROR_COLUMN = 'error';
const MAX_LINES = 5000;
const MAX_COLUMNS = 100;
const MAX_ROW_LENGTH = 32_768;
/** The parser takes some 50 µs for a row that has fewer or more cells than the first. */
const SLICE_BYTES = 1_024;
const TURN_MS = 10;

/**
 * Reads the rows after the header, each with its line number in the file. Cells are separated by commas, semicolons, tabs or pipes. The
 * limits hold while the text is read, in slices that other work comes between.
 * @throws VALIDATION_ERROR
 */
export async function readCsv(text: string, columns: Columns): Promise<CsvFile> {
  const { maxLines = MAX_LINES } = columns;
  const lines: CsvLine[] = [];
  let header: Header | undefined;
  await eachRow(text, ({ record, info }) => {
    if (!header) header = headerOf(record, columns);
    else if (lines.length < maxLines) lines.push(lineOf(header, record, info.lines - breaksIn(record), columns));
    else throw invalid(`Import at most ${maxLines} rows at once. Split the file, and import the parts.`);
  });
  const { spelled } = header ?? headerOf([], columns);
  return { header: spelled, lines };
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
    record_delimiter: ['\r\n', '\n', '\r'],
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

/**
 * Returns the separator of cells: the one that a first line `sep=;` of Excel names, or that the header has most of. Separators
 * behind that line show that another program saved the file, with a separator of its own.
 */
function delimiterOf(text: string): { delimiter: string; firstLine: number } {
  const [line = ''] = text.replace(/^\ufeff/, '').split(/\r\n?|\n/, 1);
  const [whole, named, others] = /^"?sep=([,;|\t])"?([,;|\t]*)$/i.exec(line) ?? [];
  if (named && !others) return { delimiter: named, firstLine: 2 };
  const rest = whole === undefined ? text : text.slice(text.indexOf(line) + line.length);
  const [first = ''] = /\S.*/.exec(rest) ?? [];
  const [delimiter = ','] = [',', ';', '\t', '|'].toSorted(
    (one, other) => first.split(other).length - first.split(one).length,
  );
  return { delimiter, firstLine: whole === undefined ? 1 : 2 };
}

/** The columns by their names in the file and by those here. One without a name is there only for cells that belong to none. */
type Header = { spelled: string[]; columns: string[] };

function headerOf(record: string[], columns: Columns): Header {
  const { names, required, synonyms = {}, secondary = [], ignored = [] } = columns;
  const cells = record.map((cell) =>
    withoutApostrophe(cell.replace(/\p{Cf}/gu, ''))
      .trim()
      .replace(/(?<=[a-z])(?=[A-Z][a-z])/g, '_')
      .toLowerCase()
      .replace(/[\s_-]+/g, '_'),
  );
  const spelled = cells.slice(0, cells.findLastIndex((name) => name !== '') + 1);
  const nameOf = (name: string) => synonyms[name] ?? name;
  const isTaken = (name: string) => spelled.some((other) => other !== name && nameOf(other) === nameOf(name));
  const header = spelled.map((name) => (secondary.includes(name) && isTaken(name) ? name : nameOf(name)));
  if (header.length > MAX_COLUMNS) throw invalid(`The first row has more than ${MAX_COLUMNS} columns.`);
  const known = ['', ERROR_COLUMN, ...names, ...secondary, ...ignored];
  const stray = header.find((name) => !known.includes(name));
  if (stray?.includes('@')) throw invalid(`The first row must name the columns: ${names.join(', ')}.`);
  if (stray !== undefined) {
    const name = stray.slice(0, 100);
    throw invalid(`There is no column called “${name}”. Rename it to one of these, or remove it: ${names.join(', ')}.`);
  }
  const repeated = header.find((name, index) => name !== '' && header.indexOf(name) !== index);
  if (repeated !== undefined) throw invalid(`The column “${repeated}” is in the first row twice.`);
  const missing = required.find((name) => !header.includes(name));
  if (missing !== undefined) throw invalid(`The column “${missing}” is missing from the first row.`);
  return { spelled, columns: header };
}

/** Line breaks in cells, before the line in which a row ends. */
function breaksIn(record: string[]): number {
  return record.reduce((sum, cell) => sum + (cell.match(/\r\n?|\n/g)?.length ?? 0), 0);
}

function lineOf({ spelled, columns }: Header, record: string[], line: number, { names, exact }: Columns): CsvLine {
  const exactIndex = exact === undefined ? -1 : columns.indexOf(exact);
  // Only a file of failed lines has an apostrophe in front of a password, which may begin with one itself.
  const isKept = (index: number) => index === exactIndex && !columns.includes(ERROR_COLUMN);
  const cells = record.map((cell, index) => (isKept(index) ? cell : withoutApostrophe(cell)));
  const values: Record<string, string> = {};
  for (const [index, name] of columns.entries()) {
    const cell = cells[index] ?? '';
    const value = index === exactIndex ? cell : cell.trim();
    if (name !== '') for (const each of [name, spelled[index] as string]) values[each] = value;
  }
  const isStray = cells.some((cell, index) => cell.trim() !== '' && (columns[index] ?? '') === '');
  const failed = columns.findIndex((name, index) => names.includes(name) && isFormulaError(cells[index] ?? ''));
  const failedFormula = failed < 0 ? null : formulaError(spelled[failed] as string, cells[failed] as string);
  const problem = isStray
    ? `This row has ${record.length} cells, and the first row has ${columns.filter((name) => name !== '').length}. Put a cell that contains the separator in quotation marks.`
    : failedFormula;
  return { line, cells, values, problem };
}

/** The cells of formulas that failed, in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const FORMULA_ERRORS = new Set([
  ...['#N/A', '#REF!', '#NAME?', '#VALUE!', '#DIV/0!', '#NULL!', '#NUM!', '#SPILL!', '#CALC!'],
  ...['#NV', '#BEZUG!', '#WERT!', '#ZAHL!', '#NUL!', '#NOM?', '#VALEUR!', '#NOMBRE!', '#N/D', '#¡REF!', '#¿NOMBRE?'],
  ...['#¡VALOR!', '#¡DIV/0!', '#¡NUM!', '#¡NULO!', '#RIF!', '#NOME?', '#VALORE!', '#VALOR!', '#NULO!', '#N/B'],
  ...['#VERW!', '#NAAM?', '#WAARDE!', '#DEEL/0!', '#GETAL!', '#LEEG!'],
]);

function isFormulaError(cell: string): boolean {
  return FORMULA_ERRORS.has(cell.trim().toUpperCase());
}

function formulaError(column: string, cell: string): string {
  return cellMessage(
    column,
    `${cell.trim()} is an error of a formula. Correct it in the spreadsheet, or clear the cell.`,
  );
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
