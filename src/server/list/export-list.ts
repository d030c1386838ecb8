import { csvLine } from '@/lib/csv/csv-line';
import { formatCount } from '@/lib/format';
import { MAX_EXPORT_ROWS } from '@/lib/list-export';
import { MAX_TOTAL } from '@/lib/list-total';
import { csvCell } from '../csv/cells';
import { limitReads } from '../limits/concurrent-reads';
import type { Page } from '../pagination';
import type { ActorContext } from '../procedures/context';
import type { FileOutput } from '../rest/file';

type ReadPage<Item> = (part: { cursor?: string; limit: number; total?: boolean }) => Promise<Page<Item>>;

type ListExport<Item, Row> = {
  /** Names the file. */
  name: string;
  /** A page of the list, with the filters and the order of the export. */
  page: ReadPage<Item>;
  columns: readonly (keyof Row & string)[];
  rowOf: (item: Item) => Row;
  maxRows?: number;
  /** At least the rows of the list, where it doesn't count them itself. */
  atMost?: () => Promise<number>;
};

const PAGE_SIZE = 500;

export const EXPORT_DESCRIPTION =
  `Takes the list’s filters, \`sort\` and \`order\`. At most ${formatCount(MAX_EXPORT_ROWS)} rows: the header ` +
  '`X-Row-Limit-Reached` says whether there are more.';

/**
 * Streams a list as CSV, page by page, up to a number of rows. Whether there are more is found out before the first one is
 * sent, since the headers say so. The list itself checks what its filters name, so its errors are those of the export.
 */
export async function exportList<Item, Row extends object>(
  ctx: ActorContext,
  { name, page, columns, rowOf, maxRows = MAX_EXPORT_ROWS, atMost }: ListExport<Item, Row>,
): Promise<FileOutput> {
  const isCut = await hasMore(page, maxRows, atMost);
  ctx.response.headers.set('X-Row-Limit', String(maxRows));
  ctx.response.headers.set('X-Row-Limit-Reached', String(isCut));
  const read: typeof page = (part) => limitReads(ctx.actor.admin.id, () => page(part));
  return {
    filename: `${name}-${ctx.clock.now().toISOString().slice(0, 10)}.csv`,
    chunks: csv(read, { columns, rowOf, maxRows, isCut }),
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

type Lines<Item, Row> = Pick<ListExport<Item, Row>, 'columns' | 'rowOf'> & { maxRows: number; isCut: boolean };

async function* csv<Item, Row extends object>(
  page: ReadPage<Item>,
  { columns, rowOf, maxRows, isCut }: Lines<Item, Row>,
): AsyncGenerator<string> {
  yield csvLine(columns);
  let left = maxRows;
  for await (const items of pagesOf(page)) {
    const rows = items.slice(0, left).map(rowOf);
    yield rows.map((row) => csvLine(columns.map((column) => csvCell(row[column])))).join('');
    // Rows that came since then: the file breaks off, so that it isn't mistaken for the whole.
    if (items.length > left && !isCut) throw new Error('a list outgrew the row limit during its export');
    left -= rows.length;
    if (left === 0 && isCut) return;
  }
}
