import type { ClientBase } from 'pg';
import { countRows, type ReadOptions, type Table } from '../../archive/format';
import { linesOf, valuesOf } from '../../archive/lines';
import { progressOf } from '../../archive/progress';
import type { Archive } from '../../archive/read';
import { listed, quoted } from '../../archive/tables';
import { openCopy } from '../copy-in';
import { ADMINS, DOMAIN_TABLES, stagedName } from './tables';

const NEW_LINE = Buffer.from('\n');

/**
 * Copies the rows of a domain from an archive into temporary tables, `restored_…`, which end with the transaction. Reads the
 * whole archive.
 */
export async function stageDomain(
  client: ClientBase,
  { header, parts }: Archive,
  domainId: string,
  onProgress: ReadOptions['onProgress'],
): Promise<Table[]> {
  const wanted = [ADMINS, ...DOMAIN_TABLES.map(({ name }) => name)];
  const tables = header.tables.filter(({ name }) => wanted.includes(name));
  for (const { name, columns } of tables)
    await client.query(
      `CREATE TEMPORARY TABLE ${quoted(stagedName(name))} ON COMMIT DROP AS SELECT ${listed(columns)} FROM ${quoted(name)} LIMIT 0`,
    );
  const progress = progressOf(header.tables, onProgress);
  const isOfDomain = filterFor(domainId);
  const reader = parts[Symbol.asyncIterator]();
  let part = await reader.next();
  while (!part.done) {
    const name: string = part.value.table;
    const table = tables.find((each) => each.name === name);
    async function* chunks(): AsyncGenerator<Buffer> {
      while (!part.done && part.value.table === name) {
        yield part.value.bytes;
        progress.add(name, countRows(part.value.bytes));
        part = await reader.next();
      }
    }
    if (table) await stageTable(client, table, chunks(), isOfDomain);
    else for await (const _ of chunks());
  }
  progress.end();
  return tables;
}

async function stageTable(
  client: ClientBase,
  table: Table,
  chunks: AsyncIterable<Buffer>,
  isOfDomain: (table: Table, line: Buffer) => boolean,
): Promise<void> {
  const copy = openCopy(client, { ...table, name: stagedName(table.name) });
  try {
    for await (const line of linesOf(chunks))
      if (isOfDomain(table, line)) await copy.write(Buffer.concat([line, NEW_LINE]));
  } catch (error) {
    copy.abort();
    throw error;
  }
  await copy.end();
}

/** A coarse filter, so that not every mailbox of the server is copied; conditions in SQL decide. */
function filterFor(domainId: string) {
  const [mailboxes, templates] = [new Set<string>(), new Set<string>()];
  return ({ name, columns }: Table, line: Buffer): boolean => {
    if (name === ADMINS) return true;
    const values = valuesOf(line, columns.length);
    const value = (column: string) => values[columns.indexOf(column)] ?? null;
    if (name === 'domain') return value('id') === domainId;
    if (name === 'api_key') return value('scoped_domain_ids')?.includes(domainId) ?? false;
    const isOwn = value('domain_id') === domainId;
    // Mailboxes come before filters in an archive, and templates before their versions.
    if (name === 'mailbox' && isOwn) mailboxes.add(String(value('id')));
    if (name === 'template' && isOwn) templates.add(String(value('id')));
    if (name === 'template_version') return templates.has(String(value('template_id')));
    return isOwn || (name === 'sieve_filter' && mailboxes.has(String(value('mailbox_id'))));
  };
}
