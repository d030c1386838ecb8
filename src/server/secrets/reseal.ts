import type { Database } from '../database/db';
import { log } from '../log';
import { currentSealingKeyId, isOpenedBy, seal, tryToUnseal } from './sealing';

type SealedColumn = {
  table: string;
  column: string;
  /** Whether the column is that of deleted rows, which are kept as JSON in the table `deleted_row`. */
  isDeleted?: boolean;
};

/** All columns with sealed bytes, each bound to `<table>.<column>:<id>`. */
const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'admin', column: 'totp_secret' },
  { table: 'webhook', column: 'secret' },
  { table: 'webhook', column: 'previous_secret' },
  { table: 'dkim_key', column: 'private_key' },
  { table: 'mail_backup_plan', column: 'sealed' },
  { table: 'webhook', column: 'secret', isDeleted: true },
  { table: 'webhook', column: 'previous_secret', isDeleted: true },
  { table: 'dkim_key', column: 'private_key', isDeleted: true },
];

const BATCH_SIZE = 100;

let unopenedAsTold = 0;

/** Runs a statement with `$1` and so on. */
type Query = <Row>(sql: string, values: unknown[]) => Promise<Row[]>;

/**
 * Seals everything again that another key has sealed, under the first key of SECRET_KEY, so that the old key can be
 * removed. Safe on several instances at once: a row is written only if it is unchanged.
 */
export async function resealStoredSecrets(db: Database): Promise<{ resealed: number; unopened: number }> {
  const total = await resealSecrets((sql, values) => db.$queryRawUnsafe(sql, ...values));
  tell(total);
  return total;
}

/**
 * As {@link resealStoredSecrets}, on any connection.
 * @param formerKeys also tried, after those of SECRET_KEY
 * @param tables where rows of a table are; only these tables, if given
 */
export async function resealSecrets(
  query: Query,
  formerKeys: readonly string[] = [],
  tables?: Readonly<Record<string, string>>,
): Promise<{ resealed: number; unopened: number }> {
  const total = { resealed: 0, unopened: 0 };
  for (const { table, column, isDeleted } of SEALED_COLUMNS) {
    const from = tables ? !isDeleted && tables[table] : table;
    if (!from) continue;
    const source = { table: from, column, isDeleted };
    for await (const { id, sealed } of sealedSecrets(query, source, currentSealingKeyId())) {
      const text = tryToUnseal(`${table}.${column}:${id}`, sealed, formerKeys);
      if (text === null) total.unopened += 1;
      else total.resealed += await replace(query, source, { id, sealed }, seal(`${table}.${column}:${id}`, text));
    }
  }
  return total;
}

/** The places of secrets that none of these keys opens, whatever is in SECRET_KEY. The database may be of an older version. */
export async function findUnopened(query: Query, secretKeys: readonly string[]): Promise<string[]> {
  const unopened: string[] = [];
  for (const source of SEALED_COLUMNS) {
    const { table, column, isDeleted } = source;
    const exists = await query(
      'SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2 AND NOT attisdropped',
      isDeleted ? ['deleted_row', 'row'] : [table, column],
    );
    if (exists.length === 0) continue;
    for await (const { id, sealed } of sealedSecrets(query, source)) {
      const place = `${table}.${column}:${id}`;
      if (!isOpenedBy(secretKeys, place, sealed)) unopened.push(place);
    }
  }
  return unopened;
}

type Row = { id: string; sealed: Uint8Array<ArrayBuffer> };

/** @param exceptBy id of the key whose secrets are left out */
async function* sealedSecrets(
  query: Query,
  { table, column, isDeleted }: SealedColumn,
  exceptBy: Uint8Array = new Uint8Array(),
): AsyncGenerator<Row> {
  const from = isDeleted
    ? `(SELECT ("row"->>'id')::uuid AS id, ${bytesIn(column)} AS ${column} FROM deleted_row WHERE "table" = '${table}') AS deleted`
    : table;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await query<Row>(
      `SELECT id, ${column} AS sealed FROM ${from}
        WHERE id > $1::uuid AND substring(${column} FROM 1 FOR 4) <> $2 ORDER BY id LIMIT ${BATCH_SIZE}`,
      [after, exceptBy],
    );
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH_SIZE) return;
    after = last.id;
  }
}

/** @returns 1, or 0 if the row has changed since */
async function replace(query: Query, source: SealedColumn, { id, sealed }: Row, sealedAgain: Uint8Array) {
  const { table, column, isDeleted } = source;
  const update = isDeleted
    ? `UPDATE deleted_row SET "row" = jsonb_set("row", '{${column}}', to_jsonb($1::bytea))
        WHERE "table" = '${table}' AND ("row"->>'id')::uuid = $2::uuid AND ${bytesIn(column)} = $3 RETURNING 1`
    : `UPDATE ${table} SET ${column} = $1 WHERE id = $2::uuid AND ${column} = $3 RETURNING 1`;
  return (await query(update, [sealedAgain, id, sealed])).length;
}

/** The bytes of a column of a deleted row, whose JSON has them in hex after `\\x`. */
function bytesIn(column: string): string {
  return `decode(substring("row"->>'${column}' FROM 3), 'hex')`;
}

function tell({ resealed, unopened }: { resealed: number; unopened: number }): void {
  if (resealed > 0) log.info({ count: resealed }, 'sealed stored secrets with the first key of SECRET_KEY');
  if (unopened > 0 && unopened !== unopenedAsTold) {
    log.error(
      { count: unopened },
      `${unopened} stored secrets can't be opened with any key in SECRET_KEY: add the key that sealed them after the current one (SECRET_KEY=<current>,<old>)`,
    );
  }
  unopenedAsTold = unopened;
}
