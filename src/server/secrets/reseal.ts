import type { Database } from '../db';
import { log } from '../log';
import { Prisma } from '../prisma/client';
import { currentSealingKeyId, seal, tryToUnseal } from './sealing';

type SealedColumn = { table: string; column: string };

/** All columns with sealed bytes, each bound to `<table>.<column>:<id>`. */
const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'admin', column: 'totp_secret' },
  { table: 'webhook', column: 'secret' },
  { table: 'webhook', column: 'previous_secret' },
  { table: 'dkim_key', column: 'private_key' },
];

const BATCH_SIZE = 100;

let unopenedAsTold = 0;

/**
 * Seals everything again that another key has sealed, under the first key of SECRET_KEY, so that the old key can be
 * removed. Safe on several instances at once: a row is written only if it is unchanged.
 */
export async function resealStoredSecrets(db: Database): Promise<{ resealed: number; unopened: number }> {
  const total = { resealed: 0, unopened: 0 };
  for (const place of SEALED_COLUMNS) {
    const { resealed, unopened } = await resealColumn(db, place);
    total.resealed += resealed;
    total.unopened += unopened;
  }
  tell(total);
  return total;
}

async function resealColumn(db: Database, place: SealedColumn) {
  const counts = { resealed: 0, unopened: 0 };
  for await (const { id, sealed } of sealedOtherwise(db, place)) {
    const reopened = tryToReseal(`${place.table}.${place.column}:${id}`, sealed);
    if (!reopened) counts.unopened += 1;
    else counts.resealed += await replace(db, place, id, sealed, reopened);
  }
  return counts;
}

type Row = { id: string; sealed: Uint8Array<ArrayBuffer> };

async function* sealedOtherwise(db: Database, place: SealedColumn): AsyncGenerator<Row> {
  const [table, column] = identifiers(place);
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await db.$queryRaw<Row[]>`
      SELECT id, ${column} AS sealed FROM ${table}
      WHERE id > ${after}::uuid AND substring(${column} FROM 1 FOR 4) <> ${currentSealingKeyId()}
      ORDER BY id LIMIT ${BATCH_SIZE}`;
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH_SIZE) return;
    after = last.id;
  }
}

function tryToReseal(place: string, sealed: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const text = tryToUnseal(place, sealed);
  return text === null ? null : seal(place, text);
}

async function replace(db: Database, place: SealedColumn, id: string, from: Uint8Array, to: Uint8Array) {
  const [table, column] = identifiers(place);
  return db.$executeRaw`UPDATE ${table} SET ${column} = ${to} WHERE id = ${id}::uuid AND ${column} = ${from}`;
}

function identifiers({ table, column }: SealedColumn) {
  return [Prisma.raw(`"${table}"`), Prisma.raw(`"${column}"`)] as const;
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
