import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { database } from '@/server/database/db';
import { processWide } from '@/server/process-wide';

/** The Postgres that test files share, or one that a test file has started for itself. */
export type TestServer = { adminUrl: string; template: string; replicaUrl?: string };

const server = processWide<TestServer>('test server').current ?? {
  adminUrl: inject('adminUrl'),
  template: inject('template'),
};

/** Importing this module creates a real database and a DATA_DIR for the process, before anything reads the environment. */
const name = `${server.template}_${randomBytes(6).toString('hex')}`;

/** DATA_DIR, which is as new as the database. */
export const dataDir = join(tmpdir(), name);

/** The settings of every test file. */
export const settings = {
  DATA_DIR: dataDir,
  DATABASE_URL: urlOn(server.adminUrl),
  ...(server.replicaUrl && { DATABASE_READ_URL: urlOn(server.replicaUrl) }),
  SECRET_KEY: randomBytes(32).toString('hex'),
  APP_URL: 'http://localhost:3000',
  NETWORK_CHECKS: 'false',
  // Tests about message content choose a store of their own.
  MESSAGE_CONTENT_DAYS: '0',
};
Object.assign(process.env, settings);
mkdirSync(dataDir);
await administer(`CREATE DATABASE ${name} TEMPLATE ${server.template}`);

export const db = database();

/** Replaces the database by a new one of the same name, as the next test file expects it, and empties DATA_DIR. */
export async function renewDatabase(): Promise<void> {
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir);
  await administer(`DROP DATABASE ${name} WITH (FORCE)`, `CREATE DATABASE ${name} TEMPLATE ${server.template}`);
}

async function administer(...statements: string[]): Promise<void> {
  const client = new pg.Client(server.adminUrl);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

function urlOn(serverUrl: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}
