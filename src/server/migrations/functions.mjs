import { givingWay, inTransaction, isInTheWay, limitLocks, UpgradeError } from './migrations.mjs';

/** CREATE OR REPLACE can't change a function's result and parameter names, or take a column from a view. */
const NOT_REPLACEABLE = new Set(['42P13', '42P16']);

/**
 * @typedef {import('pg').ClientBase} ClientBase
 * @typedef {import('./function-files.mjs').FunctionSet} FunctionSet
 * @typedef {{ name: string, hash: string, objects: string[], revision: number }} Stored
 */

/**
 * Makes the functions, triggers and views of a database those of this version, in one transaction: applies files that
 * changed, and drops what no file makes any more. Leaves those of a newer version as they are. The caller holds the lock of
 * upgrades.
 * @param {ClientBase} client
 * @param {FunctionSet} own
 * @throws UpgradeError if a newer version has dropped some that this one needs, or the database rejects a file
 */
export async function applyFunctions(client, own) {
  const state = await findState(client, own);
  if (state === 'newer' || state === 'current') return;
  const complaint =
    'The functions of the database could not be replaced, because a long transaction uses its tables. End it, and start again.';
  await givingWay(complaint, () =>
    replaceFunctions(client, own).catch((error) => {
      if (!NOT_REPLACEABLE.has(error.code)) throw error;
      return remakeFunctions(client, own);
    }),
  );
}

/**
 * Compares the functions of a database with those of this version.
 * @param {ClientBase} client
 * @param {FunctionSet} own
 * @returns {Promise<'current' | 'older' | 'newer'>} `newer` if this version can work with them
 * @throws UpgradeError if it can't
 */
export async function findState(client, { revision, files }) {
  const stored = await findStored(client);
  const storedRevision = Math.max(0, ...stored.map((row) => row.revision));
  if (storedRevision > revision) {
    const made = new Set(stored.flatMap(({ objects }) => objects));
    const missing = files.flatMap(({ objects }) => objects).filter((object) => !made.has(object));
    if (missing.length === 0) return 'newer';
    throw new UpgradeError(
      `The database is of a newer version of Postroom, without ${missing.join(', ')}: start that version, or restore the ` +
        'copy of the database from before its upgrade.',
    );
  }
  const hashes = new Map(stored.map(({ name, hash }) => [name, hash]));
  const isSame = files.length === stored.length && files.every(({ name, hash }) => hashes.get(name) === hash);
  return isSame && storedRevision === revision ? 'current' : 'older';
}

/** @param {ClientBase} client @param {FunctionSet} own */
async function replaceFunctions(client, { revision, files }) {
  await inTransaction(client, async () => {
    await prepare(client);
    const stored = await findStored(client);
    const hashes = new Map(stored.map(({ name, hash }) => [name, hash]));
    for (const file of files) if (hashes.get(file.name) !== file.hash) await apply(client, file);
    const made = new Set(files.flatMap(({ objects }) => objects));
    await drop(
      client,
      stored.flatMap(({ objects }) => objects).filter((object) => !made.has(object)),
    );
    await record(client, { revision, files });
  });
}

/** Drops them all first, and makes them again. @param {ClientBase} client @param {FunctionSet} own */
async function remakeFunctions(client, { revision, files }) {
  await inTransaction(client, async () => {
    await prepare(client);
    await drop(
      client,
      (await findStored(client)).flatMap(({ objects }) => objects),
    );
    for (const file of files) await apply(client, file);
    await record(client, { revision, files });
  });
}

/** @param {ClientBase} client */
async function prepare(client) {
  await limitLocks(client);
  await client.query('SET LOCAL search_path = public');
}

/** @param {ClientBase} client @param {import('./function-files.mjs').FunctionFile} file */
async function apply(client, { name, text }) {
  await client.query(text).catch((error) => {
    if (isInTheWay(error) || NOT_REPLACEABLE.has(error.code)) throw error;
    throw new UpgradeError(`The database rejects prisma/functions/${name}.sql: ${error.message}`, { cause: error });
  });
}

/**
 * Drops objects, all of a kind at once, because they can use each other.
 * @param {ClientBase} client
 * @param {readonly string[]} objects
 */
async function drop(client, objects) {
  const namesOf = (kind) =>
    objects.filter((object) => object.startsWith(kind)).map((object) => object.slice(kind.length));
  const statements = [
    ...namesOf('TRIGGER ').map((name) => `DROP TRIGGER IF EXISTS ${name}`),
    ...['VIEW ', 'FUNCTION ']
      .map((kind) => [kind, namesOf(kind).join(', ')])
      .filter(([, names]) => names)
      .map(([kind, names]) => `DROP ${kind}IF EXISTS ${names}`),
  ];
  for (const statement of statements)
    await client.query(statement).catch((error) => {
      if (isInTheWay(error)) throw error;
      throw new UpgradeError(`A function of an earlier version could not be dropped: ${error.message}`, {
        cause: error,
      });
    });
}

/** @param {ClientBase} client @param {FunctionSet} own */
async function record(client, { revision, files }) {
  await client.query('DELETE FROM sql_function');
  await client.query(
    `INSERT INTO sql_function (name, hash, objects, revision)
     SELECT name, hash, ARRAY(SELECT jsonb_array_elements_text(objects)), $2
       FROM jsonb_to_recordset($1) AS file(name text, hash text, objects jsonb)`,
    [JSON.stringify(files.map(({ name, hash, objects }) => ({ name, hash, objects }))), revision],
  );
}

/** @param {ClientBase} client @returns {Promise<Stored[]>} */
async function findStored(client) {
  return (await client.query('SELECT name, hash, objects, revision FROM sql_function ORDER BY name')).rows;
}
