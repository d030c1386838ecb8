import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { database, readDatabase } from '@/server/db';

/** Importing this module creates a real database for the test file, before anything reads the environment. */
const name = `postroom_test_${randomBytes(6).toString('hex')}`;

await administer(`CREATE DATABASE ${name} TEMPLATE ${inject('template')}`);
const url = new URL(inject('adminUrl'));
url.pathname = `/${name}`;
process.env.DATABASE_URL = url.href;
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
  const client = new pg.Client(inject('adminUrl'));
  await client.connect();
  await client.query(statement);
  await client.end();
}
