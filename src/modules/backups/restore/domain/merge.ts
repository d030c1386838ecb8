import type { ClientBase } from 'pg';
import type { Table } from '../../archive/format';
import { listed, quoted } from '../../archive/tables';
import { MAX_EXAMPLES, NAMES, type TableDifference } from '../compare';
import { DOMAIN_TABLES, type DomainTable, stagedName } from './tables';

type Kind = 'added' | 'changed' | 'removed';
type Staged = DomainTable & Table & { staged: string; same: string; compared: string[] };

/** The tables of a domain, with what compares them with the temporary ones. */
function stagedTables(tables: readonly Table[]): Staged[] {
  return DOMAIN_TABLES.flatMap((each) => {
    const table = tables.find(({ name }) => name === each.name);
    if (!table) return [];
    const key = table.columns.slice(0, table.keyLength);
    return {
      ...each,
      ...table,
      staged: quoted(stagedName(each.name)),
      same: key.map((column) => `r.${quoted(column)} = t.${quoted(column)}`).join(' AND '),
      compared: table.columns.slice(table.keyLength).filter((column) => !(column in (each.set ?? {}))),
    };
  });
}

/** The rows that a merge would add, change and remove. */
export async function compareDomain(
  client: ClientBase,
  tables: readonly Table[],
  domainId: string,
): Promise<TableDifference[]> {
  const differences: TableDifference[] = [];
  for (const table of stagedTables(tables)) {
    const difference: TableDifference = {
      table: table.name,
      added: 0,
      changed: 0,
      removed: 0,
      examples: { added: [], changed: [], removed: [] },
      leftOut: [],
    };
    for (const [kind, from] of Object.entries(selections(table)) as [Kind, string][]) {
      const name = NAMES[table.name]
        ? `${kind === 'removed' ? 't' : 'r'}.${quoted(NAMES[table.name] as string)}`
        : 'NULL';
      const { rows } = await client.query<{ count: string; names: string[] }>(
        `SELECT count(*) AS count, coalesce((array_agg(name ORDER BY name) FILTER (WHERE name <> ''))[1:${MAX_EXAMPLES}], '{}') AS names
           FROM (SELECT ${name}::text AS name ${from}) AS found, (SELECT $1::uuid) AS domain`,
        [domainId],
      );
      difference[kind] = Number(rows[0]?.count);
      difference.examples[kind] = rows[0]?.names ?? [];
    }
    differences.push(difference);
  }
  return differences;
}

function selections({ name, staged, same, compared, ofDomain, kept = 'false' }: Staged): Record<Kind, string> {
  const values = (row: string) => `ROW(${['1', ...compared.map((column) => `${row}.${quoted(column)}`)].join(', ')})`;
  return {
    added: `FROM ${staged} r WHERE NOT EXISTS (SELECT FROM ${quoted(name)} t WHERE ${same})`,
    changed: `FROM ${staged} r JOIN ${quoted(name)} t ON ${same} WHERE ${values('r')} IS DISTINCT FROM ${values('t')}`,
    removed: `FROM (SELECT * FROM ${quoted(name)} WHERE (${ofDomain}) AND NOT (${kept})) t WHERE NOT EXISTS (SELECT FROM ${staged} r WHERE ${same})`,
  };
}

/** Makes the rows of a domain those in the temporary tables. @returns how many there are */
export async function mergeDomain(client: ClientBase, tables: readonly Table[], domainId: string): Promise<number> {
  const all = stagedTables(tables);
  let rows = 0;
  for (const { name, staged, same, ofDomain, kept = 'false' } of all.toReversed())
    await client.query(
      `DELETE FROM ${quoted(name)} AS t WHERE (${ofDomain}) AND NOT (${kept}) AND NOT EXISTS (SELECT FROM ${staged} r WHERE ${same})`,
      [domainId],
    );
  for (const table of all) {
    const { name, staged, same, columns, compared, park, set = {} } = table;
    if (park) await client.query(park, [domainId]);
    const changes = [...compared.map((column) => [column, `r.${quoted(column)}`]), ...Object.entries(set)];
    if (changes.length > 0)
      await client.query(
        `UPDATE ${quoted(name)} AS t SET ${changes.map(([column, value]) => `${quoted(String(column))} = ${value}`).join(', ')}
           FROM ${staged} r WHERE ${same}`,
      );
    await client.query(
      `INSERT INTO ${quoted(name)} (${listed(columns)})
       SELECT ${columns.map((column) => set[column] ?? `r.${quoted(column)}`).join(', ')}
         ${selections(table).added}`,
    );
    rows += Number((await client.query(`SELECT count(*) AS count FROM ${staged}`)).rows[0].count);
  }
  await client.query(
    `UPDATE domain SET report_mailbox_id = r.report_mailbox_id FROM restored_domain r
      WHERE domain.id = r.id AND r.report_mailbox_id IN (SELECT id FROM mailbox)`,
  );
  return rows;
}
