import { csvLine } from '@/lib/csv/csv-line';
import { type CsvColumn, type List, MAX_EXPORT_ROWS, MAX_TOTAL } from '@/lib/lists';
import { csvCell } from '../csv/cells';
import { limitReads } from '../limits/concurrent-reads';
import type { Page } from '../pagination';
import type { ActorContext } from '../procedures/context';
import type { FileOutput } from '../rest/file';

type ReadPage<Item> = (part: { cursor?: string; limit: number; total?: boolean }) => Promise<Page<Item>>;

type Limits = {
  maxRows?: number;
  /** At least the rows of the list, where it doesn't count them itself. */
  atMost?: () => Promise<number>;
};

const PAGE_SIZE = 500;

/**
 * Streams a list as CSV, page by page, up to a number of rows. Whether there are more is found out before the first one is
 * sent, since the headers say so. The list itself checks what its filters name, so its errors are those of the export.
 * @param page a page of the list, with the filters and the order of the export
 */
export async function exportList<Item extends object>(
  ctx: ActorContext,
  { path, file = path.slice(1), csv }: Pick<List<Item>, 'path' | 'file' | 'csv'>,
  page: ReadPage<Item>,
  { maxRows = MAX_EXPORT_ROWS, atMost }: Limits = {},
): Promise<FileOutput> {
  const isCut = await hasMore(page, maxRows, atMost);
  ctx.response.headers.set('X-Row-Limit', String(maxRows));
  ctx.response.headers.set('X-Row-Limit-Reached', String(isCut));
  const read: typeof page = (part) => limitReads(ctx.actor.admin.id, () => page(part));
  return {
    filename: `${file}-${ctx.clock.now().toISOString().slice(0, 10)}.csv`,
    chunks: csvLines(csv, firstRows(read, maxRows, isCut)),
  };
}

/** A list that has no pages. */
export function onePage<Item>(items: Item[]): ReadPage<Item> {
  return async () => ({ items, pagination: { has_more: false, next_cursor: '', total: items.length } });
}

/** The pages of a list, one after the other. */
export async function* pagesOf<Item>(page: ReadPage<Item>, limit = PAGE_SIZE): AsyncGenerator<Item[]> {
  let cursor: string | undefined;
  for (;;) {
    const { items, pagination } = await page({ cursor, limit });
    yield items;
    if (!pagination.has_more) return;
    cursor = pagination.next_cursor;
  }
}

/** A header line, and a line for each item. */
export async function* csvLines<Item>(
  columns: readonly CsvColumn<Item>[],
  pages: AsyncIterable<Item[]>,
): AsyncGenerator<string> {
  const cellOf = (item: Item, column: CsvColumn<Item>) => (typeof column === 'string' ? item[column] : column[1](item));
  yield csvLine(columns.map((column) => (typeof column === 'string' ? column : column[0])));
  for await (const items of pages)
    yield items.map((item) => csvLine(columns.map((column) => csvCell(cellOf(item, column))))).join('');
}

/** Whether a list has more rows than that. A list that counts no further is read. */
async function hasMore<Item>(page: ReadPage<Item>, maxRows: number, atMost?: () => Promise<number>): Promise<boolean> {
  const { total } = (await page({ limit: 1, total: true })).pagination;
  if (typeof total === 'number' && total < MAX_TOTAL) return total > maxRows;
  if (atMost && (await atMost()) <= maxRows) return false;
  let count = 0;
  for await (const items of pagesOf(page)) {
    count += items.length;
    if (count > maxRows) return true;
  }
  return false;
}

/** The pages up to that many rows. Rows that came since then break the file off, so that it isn't mistaken for the whole. */
async function* firstRows<Item>(page: ReadPage<Item>, maxRows: number, isCut: boolean): AsyncGenerator<Item[]> {
  let left = maxRows;
  for await (const items of pagesOf(page)) {
    yield items.slice(0, left);
    if (items.length > left && !isCut) throw new Error('a list outgrew the row limit during its export');
    left -= Math.min(items.length, left);
    if (left === 0 && isCut) return;
  }
}
