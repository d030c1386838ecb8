import { randomInt } from 'node:crypto';
import pg from 'pg';
import { ADVISORY_LOCKS } from '@/server/database/advisory-locks';
import { connectionTo } from '@/server/database/connection';
import { log } from '@/server/log';
import { BackupError } from '../archive/format';
import { quoted } from '../archive/tables';

const PREFIX = 'postroom_scratch_';
/** With the number in the name: held as long as the database is in use. Locks are visible in all databases of a server. */
const NOT_ALLOWED = '42501';
const OBJECT_IN_USE = '55006';
const UNKNOWN_DATABASE = '3D000';
const CONNECT_TIMEOUT_MS = 10_000;

export type Scratch = { url: string; client: pg.Client };

/**
 * Runs `work` with an empty database on the same server, and drops it at the end. One that was left by a process that was
 * killed is dropped before.
 * @throws BackupError if there is no room for it, or no right to create it
 */
export async function withScratchDatabase<Result>(
  databaseUrl: string,
  work: (scratch: Scratch) => Promise<Result>,
): Promise<Result> {
  let lost: Error | null = null;
  const onLost = (error: Error) => (lost ??= error);
  const control = await connect(databaseUrl, onLost);
  const number = randomInt(2 ** 31);
  const name = `${PREFIX}${number}`;
  try {
    await control.query('SELECT pg_advisory_lock($1, $2)', [ADVISORY_LOCKS.scratchDatabase, number]);
    await dropAbandoned(control);
    await create(control, name);
    const url = Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).href;
    const client = await connect(url, onLost);
    try {
      return await work({ url, client });
    } finally {
      await client.end();
    }
  } catch (error) {
    throw explain(error, lost);
  } finally {
    await drop(databaseUrl, name);
    await control.end();
  }
}

/** @param onLost called when the connection breaks; the running query fails then, or the next one */
async function connect(url: string, onLost: (error: Error) => void): Promise<pg.Client> {
  const client = new pg.Client({
    ...connectionTo(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: 0,
  });
  client.on('error', onLost);
  await client.connect();
  return client;
}

/** In the encoding of ours, which need not be that of the server. */
async function create(control: pg.Client, name: string): Promise<void> {
  const { rows } = await control.query<Record<'encoding' | 'collation' | 'ctype', string>>(
    `SELECT pg_encoding_to_char(encoding) AS encoding, quote_literal(datcollate) AS collation,
            quote_literal(datctype) AS ctype FROM pg_database WHERE datname = current_database()`,
  );
  const [own] = rows;
  const likeOurs = `ENCODING '${own?.encoding}' LC_COLLATE ${own?.collation} LC_CTYPE ${own?.ctype}`;
  await control
    .query(`CREATE DATABASE ${quoted(name)} TEMPLATE template0 ${likeOurs}`)
    .catch((error: pg.DatabaseError) => {
      if (error.code !== NOT_ALLOWED) throw error;
      throw new BackupError(
        `The database user ${control.user} may not create databases, which this needs for a copy of the archive. Allow it: ALTER ROLE ${control.user} CREATEDB.`,
        { cause: error },
      );
    });
}

/** Drops the scratch databases whose lock nobody holds. One with connections is left alone. */
async function dropAbandoned(control: pg.Client): Promise<void> {
  const { rows } = await control.query<{ name: string }>(
    `SELECT datname::text AS name FROM pg_database
      WHERE datname ~ '^${PREFIX}[0-9]+$' AND pg_has_role(datdba, 'USAGE')
        AND NOT EXISTS (SELECT FROM pg_locks
                         WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2
                           AND objid = substr(datname::text, ${PREFIX.length + 1})::bigint::oid)`,
    [ADVISORY_LOCKS.scratchDatabase],
  );
  for (const { name } of rows)
    await control.query(`DROP DATABASE ${quoted(name)}`).catch((error: pg.DatabaseError) => {
      // The other one that was about to drop it did.
      if (error.code !== OBJECT_IN_USE && error.code !== UNKNOWN_DATABASE) throw error;
    });
}

/** On a connection of its own: what ended the work may have been a broken connection. */
async function drop(databaseUrl: string, name: string): Promise<void> {
  try {
    const client = await connect(databaseUrl, () => {});
    await client.query(`DROP DATABASE IF EXISTS ${quoted(name)} WITH (FORCE)`).finally(() => client.end());
  } catch (error) {
    log.error({ error, name }, 'could not drop a scratch database; the next one that is made drops it');
  }
}

const EXPLANATIONS: Record<string, string> = {
  '53100': 'The database server has no room for a copy of what is in the archive. Free space on its disk.',
  '53300': 'The database server has no connection left. Try again later, or raise its max_connections.',
};

/** Error codes that Postgres returns for the running query before it closes a connection. */
const ENDED = /^(08|57P)/;

function explain(error: unknown, lost: Error | null): unknown {
  const { code = '', message } = error as pg.DatabaseError;
  const broken = lost?.message ?? (ENDED.test(code) ? message : null);
  const explanation =
    broken === null
      ? EXPLANATIONS[code]
      : `The connection to the database broke (${broken}). Try again when the database server is stable.`;
  return explanation ? new BackupError(explanation, { cause: error }) : error;
}
