/** Starts of cells that spreadsheets evaluate, also behind apostrophes, so that each cell can be read back. */
const FORMULA = /^'*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
const QUOTED = /[",;\t\r\n]|^\s|\s$/;

/** The start of a CSV file: Excel takes a file without a byte order mark for text in the code page of its computer. */
export const BYTE_ORDER_MARK = '\ufeff';

/** One line with its line end. A cell that could start a formula gets an apostrophe before it. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

/** A cell as it was before `csvLine`. */
export function withoutApostrophe(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

function quoted(cell: string): string {
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
