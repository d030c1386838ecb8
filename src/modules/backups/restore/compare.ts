import type { ClientBase } from 'pg';
import { countRows, type ReadOptions, type Table } from '../archive/format';
import { valuesOf } from '../archive/lines';
import { progressOf } from '../archive/progress';
import type { Archive, ArchivePart } from '../archive/read';
import { copiedOut, copyOut, SESSION_SETTINGS } from '../archive/tables';
import { AUDIT_TABLES, continuesArchive, countNewer, keptText } from './audit-log';

/** How a table would change. */
export type TableDifference = {
  table: string;
  /** Rows that are only in the archive. */
  added: number;
  changed: number;
  /** Rows that are only in the database. */
  removed: number;
  /** Names of the first ones, of tables that have names. */
  examples: Record<'added' | 'changed' | 'removed', string[]>;
  /** Sentences about data that can't be restored as it was, each with the reason. */
  leftOut: string[];
};

/** Columns by which a person knows a row. */
export const NAMES: Record<string, string> = {
  admin: 'email',
  alias: 'source_local_part',
  api_key: 'name',
  domain: 'name',
  mailbox: 'local_part',
  sieve_filter: 'name',
  suppression: 'email',
  template: 'name',
  webhook: 'url',
};
export const MAX_EXAMPLES = 10;

/**
 * Returns the changes that restoring the archive would make. Reads the archive and the database row by row, in the order of
 * the primary key, and writes nothing.
 * @throws ArchiveError
 */
export async function compareArchive(
  client: ClientBase,
  archive: Archive,
  { onProgress }: ReadOptions = {},
): Promise<TableDifference[]> {
  const { header, parts } = archive;
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await client.query(SESSION_SETTINGS);
    const differences: TableDifference[] = [];
    const progress = progressOf(header.tables, onProgress);
    const reader = partsByTable(parts, ({ table, bytes }) => progress.add(table, countRows(bytes)));
    const isContinued = await continuesArchive(client, archive);
    for (const table of header.tables) {
      if (isContinued && AUDIT_TABLES.includes(table.name)) {
        for await (const _ of reader.chunksOf(table.name));
        differences.push(unchanged(table.name));
        continue;
      }
      const live = copiedOut(client, await copyOut(client, table));
      const sides = { live: rowsOf(live), archived: rowsOf(reader.chunksOf(table.name)) };
      differences.push(await compareTable(table, sides).finally(() => live.return(undefined)));
    }
    await reader.expectEnd();
    progress.end();
    const newer = isContinued ? await countNewer(client, archive) : null;
    return differences.map((each) => (each.table === 'audit_entry' ? withKept(each, newer) : each));
  } finally {
    await client.query('ROLLBACK');
  }
}

/** The entries of the database that a restore keeps. @param newer null if they are those that only the database has */
function withKept(difference: TableDifference, newer: number | null): TableDifference {
  const kept = keptText(newer ?? difference.removed);
  return { ...difference, removed: 0, leftOut: kept ? [kept] : [] };
}

type Sides = Record<'archived' | 'live', Rows>;

async function compareTable(table: Table, { archived, live }: Sides): Promise<TableDifference> {
  const difference = unchanged(table.name);
  const nameAt = table.columns.indexOf(NAMES[table.name] ?? '');
  const note = (kind: 'added' | 'changed' | 'removed', line: Buffer) => {
    difference[kind] += 1;
    const name = nameAt === -1 ? null : valuesOf(line, nameAt + 1)[nameAt];
    if (name && difference.examples[kind].length < MAX_EXAMPLES) difference.examples[kind].push(name);
  };
  for (;;) {
    await skipEqual(live, archived);
    const [from, to] = [await live.first(), await archived.first()];
    if (!from && !to) return difference;
    const order = from && to ? compareKeys(from, to, table.keyLength) : from ? -1 : 1;
    if (order < 0) note('removed', from as Buffer);
    else if (order > 0) note('added', to as Buffer);
    else if (!(from as Buffer).equals(to as Buffer)) note('changed', to as Buffer);
    if (order <= 0) live.drop((from as Buffer).byteLength + 1);
    if (order >= 0) archived.drop((to as Buffer).byteLength + 1);
  }
}

function unchanged(table: string): TableDifference {
  const examples = { added: [], changed: [], removed: [] };
  return { table, added: 0, changed: 0, removed: 0, examples, leftOut: [] };
}

/** In the order of `copyOut`: by the bytes of each value's text. */
function compareKeys(one: Buffer, other: Buffer, keyLength: number): number {
  const [ones, others] = [valuesOf(one, keyLength), valuesOf(other, keyLength)];
  for (const [index, value] of ones.entries()) {
    const order = Buffer.compare(Buffer.from(value ?? ''), Buffer.from(others[index] ?? ''));
    if (order !== 0) return order;
  }
  return 0;
}

function partsByTable(parts: AsyncIterable<ArchivePart>, onRead: (part: ArchivePart) => void) {
  const iterator = parts[Symbol.asyncIterator]();
  let current: ArchivePart | null = null;
  const advance = async () => {
    const { value, done } = await iterator.next();
    current = done ? null : value;
  };
  let isStarted = false;
  return {
    async *chunksOf(table: string): AsyncGenerator<Buffer> {
      if (!isStarted) await advance();
      isStarted = true;
      while (current?.table === table) {
        yield current.bytes;
        onRead(current);
        await advance();
      }
    },
    /** Reads the end of the archive, which says whether all of it was there. */
    async expectEnd(): Promise<void> {
      while (current) await advance();
    },
  };
}

const NEW_LINE = 10;

/** The next rows of COPY's text format, as bytes that were read ahead. */
type Rows = {
  /** Returns the bytes that were read and not dropped yet. */
  bytes: () => Buffer;
  /** Reads more. @returns whether there was more */
  read: () => Promise<boolean>;
  /** The next row without its new line; null at the end. */
  first: () => Promise<Buffer | null>;
  drop: (count: number) => void;
};

function rowsOf(chunks: AsyncGenerator<Buffer>): Rows {
  let ahead: Buffer = Buffer.alloc(0);
  const read = async () => {
    const { value, done } = await chunks.next();
    if (done) return false;
    ahead = ahead.byteLength === 0 ? value : Buffer.concat([ahead, value]);
    return true;
  };
  return {
    bytes: () => ahead,
    read,
    async first() {
      for (;;) {
        const end = ahead.indexOf(NEW_LINE);
        if (end !== -1) return ahead.subarray(0, end);
        if (!(await read())) return null;
      }
    },
    drop(count) {
      ahead = ahead.subarray(count);
    },
  };
}

/** Drops the rows at which both start, many at once: most rows of two databases are the same. */
async function skipEqual(one: Rows, other: Rows): Promise<void> {
  for (;;) {
    for (const rows of [one, other]) if (rows.bytes().byteLength === 0 && !(await rows.read())) return;
    const [left, right] = [one.bytes(), other.bytes()];
    const shorter = Math.min(left.byteLength, right.byteLength);
    const same = equalBytes(left, right);
    const end = same === 0 ? 0 : left.lastIndexOf(NEW_LINE, same - 1) + 1;
    one.drop(end);
    other.drop(end);
    if (same < shorter) return;
    // A row goes on in what was not read yet.
    if (end === 0 && !(await (left.byteLength === shorter ? one : other).read())) return;
  }
}

/** How many bytes both start with. */
function equalBytes(left: Buffer, right: Buffer): number {
  const isEqual = (from: number, to: number) => left.subarray(from, to).equals(right.subarray(from, to));
  const shorter = Math.min(left.byteLength, right.byteLength);
  if (isEqual(0, shorter)) return shorter;
  let [same, differs] = [0, shorter];
  while (differs - same > 1) {
    const middle = (same + differs) >> 1;
    if (isEqual(same, middle)) same = middle;
    else differs = middle;
  }
  return same;
}
