import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { database, readDatabase } from '@/server/db';
import { processWide } from '@/server/process-wide';

/** The Postgres that test files share, or one that a test file has started for itself. */
export type TestServer = { adminUrl: string; template: string; replicaUrl?: string };

const server = processWide<TestServer>('test server').current ?? {
  adminUrl: inject('adminUrl'),
  template: inject('template'),
};

/** Importing this module creates a real database for the test file, before anything reads the environment. */
const name = `postroom_test_${randomBytes(6).toString('hex')}`;

await administer(`CREATE DATABASE ${name} TEMPLATE ${server.template}`);
process.env.DATABASE_URL = urlOn(server.adminUrl);
if (server.replicaUrl) process.env.DATABASE_READ_URL = urlOn(server.replicaUrl);
process.env.SECRET_KEY = randomBytes(32).toString('hex');
process.env.APP_URL = 'http://localhost:3000';
process.env.NETWORK_CHECKS = 'false';
// Tests about message content choose a store of their own.
process.env.MESSAGE_CONTENT_DAYS ??= '0';

afterAll(async () => {
  await Promise.all([database().$disconnect(), readDatabase().$disconnect()]);
  await administer(`DROP DATABASE ${name} WITH (FORCE)`);
});

export const db = database();

async function administer(statement: string): Promise<void> {
  const client = new pg.Client(server.adminUrl);
  await client.connect();
  await client.query(statement);
  await client.end();
}

function urlOn(serverUrl: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}
