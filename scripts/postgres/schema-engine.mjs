#!/usr/bin/env node
// Replaces the schema engine that Prisma's CLI would download: the same JSON-RPC over stdio, answered by the WebAssembly
// engine that npm installs. prisma.config.ts points the CLI here (docs/contributing/decisions/0003).
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

const REQUEST_FAILED = 4466;
const INTERNAL_CHAR_OID = 18;
const TEXT_OID = 25;

const { values: options, positionals } = parseArgs({
  strict: false,
  allowPositionals: true,
  options: {
    datamodels: { type: 'string', short: 'd', multiple: true, default: [] },
    datasource: { type: 'string' },
  },
});
const databaseUrl = options.datasource ? JSON.parse(String(options.datasource)).url : process.env.DATABASE_URL;

if (positionals[0] === 'cli') await answerDatabaseCommand(positionals[1]);
else await answerRequests();

async function answerRequests() {
  let engine;
  for await (const line of createInterface({ input: process.stdin })) {
    if (!line.trim()) continue;
    const { id, method, params } = JSON.parse(line);
    if (!method) continue;
    try {
      engine ??= await loadEngine();
      const result = await callEngine(engine, method, Array.isArray(params) ? params[0] : params);
      if (method === 'diff' && result?.stdout) {
        send({ id: `print-${id}`, method: 'print', params: { content: result.stdout } });
      }
      send({ id, result: result ?? null });
    } catch (error) {
      const data = { is_panic: false, message: String(error?.message ?? error), meta: null, error_code: error?.code };
      send({ id, error: { code: REQUEST_FAILED, message: 'The schema engine rejected the request.', data } });
    }
  }
  process.exit(0);
}

function callEngine(engine, method, params = {}) {
  return method === 'getDatabaseVersion' ? engine.version(params) : engine[method](params);
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

async function loadEngine() {
  const wasmPath = new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm'));
  const imports = { './schema_engine_bg.js': bindings };
  const { instance } = await WebAssembly.instantiate(readFileSync(fileURLToPath(wasmPath)), imports);
  bindings.__wbg_set_wasm(instance.exports);
  /** @type {() => void} */ (instance.exports.__wbindgen_start)();

  /** @type {[path: string, text: string][]} */
  const datamodels = [options.datamodels ?? []]
    .flat()
    .map((path) => [String(path), readFileSync(String(path), 'utf8')]);
  const adapter = bindMigrationAwareSqlAdapterFactory(createAdapterFactory(databaseUrl));
  const log = () => {};
  return bindings.SchemaEngine.new({ datamodels: datamodels.length > 0 ? datamodels : undefined }, log, adapter);
}

function createAdapterFactory(connectionString) {
  const factory = new PrismaPg({ connectionString });
  const connect = factory.connect.bind(factory);
  factory.connect = async () => adaptToSchemaEngine(await connect());
  factory.connectToShadowDb = () => connectToShadowDatabase(factory);
  return factory;
}

// The adapter's own version drops the shadow database while its pool is still connected, which Postgres rejects.
async function connectToShadowDatabase(factory) {
  const main = await factory.connect();
  const database = `prisma_shadow_${crypto.randomUUID()}`;
  await main.executeScript(`CREATE DATABASE "${database}"`);
  const shadow = await createAdapterFactory(urlOfDatabase(database)).connect();
  const disconnect = shadow.dispose.bind(shadow);
  shadow.dispose = async () => {
    await disconnect();
    await main.executeScript(`DROP DATABASE "${database}" WITH (FORCE)`);
    await main.dispose();
  };
  return shadow;
}

function adaptToSchemaEngine(connection) {
  // The adapter's own version splits scripts at every semicolon, even inside function bodies.
  connection.executeScript = async (script) => {
    await connection.underlyingDriver().query(script).catch(connection.onError.bind(connection));
  };
  const queryRaw = connection.queryRaw;
  connection.queryRaw = (query) => queryWithInternalChars(connection, queryRaw, query);
  return connection;
}

/** The catalog type "char", which the engine reads and the adapter doesn't support. */
async function queryWithInternalChars(connection, queryRaw, query) {
  const charColumns = [];
  const performIO = async (...args) => {
    const result = await connection.performIO(...args);
    const fields = result.fields.map((field, column) => {
      if (field.dataTypeID !== INTERNAL_CHAR_OID) return field;
      charColumns.push(column);
      return { ...field, dataTypeID: TEXT_OID };
    });
    return { ...result, fields, rows: result.rows };
  };
  const result = await queryRaw.call(Object.create(connection, { performIO: { value: performIO } }), query);
  for (const column of charColumns) result.columnTypes[column] = ColumnTypeEnum.Character;
  return result;
}

async function answerDatabaseCommand(command) {
  const database = decodeURIComponent(new URL(databaseUrl).pathname.slice(1));
  const isCheck = command === 'can-connect-to-database';
  const client = new pg.Client({ connectionString: isCheck ? databaseUrl : urlOfDatabase('postgres') });
  try {
    await client.connect();
    if (command === 'create-database') await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
    if (command === 'drop-database') await client.query(`DROP DATABASE ${client.escapeIdentifier(database)}`);
    await client.end();
    process.exit(0);
  } catch (error) {
    const prismaCodes = { '3D000': 'P1003', '28P01': 'P1000' };
    const fields = { error_code: prismaCodes[error.code] ?? 'P1001', message: error.message };
    console.error(`\n${JSON.stringify({ level: 'ERROR', target: 'schema_engine::logger', fields })}`);
    process.exit(1);
  }
}

function urlOfDatabase(database) {
  const url = new URL(databaseUrl);
  url.pathname = `/${encodeURIComponent(database)}`;
  return url.href;
}
