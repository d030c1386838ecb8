import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { db } from '@/test/database';
import { startTcpRelay } from '@/test/servers/tcp-relay';
import { env } from '../settings/env';
import { connectionTo, createConnections } from './connection';
import { type Database, isDatabaseAway, readDatabase, separateDatabase } from './db';

const separate = separateDatabase();
afterAll(() => separate.$disconnect());

describe('a connection to Postgres', () => {
  it.each<[string, Database]>([
    ['of changes', db],
    ['of reads', readDatabase()],
    ['of its own', separate],
  ])('%s compiles no plans and is in UTC', async (_, database) => {
    const settings =
      await database.$queryRaw`SELECT current_setting('jit') AS jit, current_setting('TimeZone') AS zone`;
    expect(settings).toEqual([{ jit: 'off', zone: 'UTC' }]);
  });

  it('takes settings from DATABASE_URL in addition to its own', async () => {
    const url = new URL(env().databaseUrl);
    url.searchParams.set('options', '-c work_mem=5MB');
    const client = new pg.Client(connectionTo(url.href, 'application_name=one'));
    await client.connect();
    const { rows } = await client.query(
      `SELECT current_setting('jit') AS jit, current_setting('work_mem') AS memory, current_setting('application_name') AS name`,
    );
    await client.end();
    expect(rows).toEqual([{ jit: 'off', memory: '5MB', name: 'one' }]);
  });

  it('is made with these settings everywhere but for the mail server’s role, which has its own', () => {
    const paths = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((path) => join('src', path));
    const sources = paths.filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.startsWith('src/test/'));
    const connecting = sources.filter((path) => /new (pg\.)?(Pool|Client)\(/.test(readFileSync(path, 'utf8')));
    const without = connecting.filter((path) => !/connectionTo\(|readPoolOptions\(/.test(readFileSync(path, 'utf8')));
    expect(connecting.length).toBeGreaterThan(5);
    expect(without).toEqual(['src/mail/agent/configuration/check.ts']);
  });
});

it('a statement whose server has gone without a word fails soon, and the next one gets a new connection', async () => {
  const url = new URL(env().databaseUrl);
  const relay = await startTcpRelay(Number(url.port || 5432));
  url.hostname = '127.0.0.1';
  url.port = String(relay.port);
  const pool = createConnections({ ...connectionTo(url.href), max: 1, statement_timeout: 1_000, answerMs: 500 });
  pool.on('error', () => {});
  onTestFinished(async () => {
    await pool.end();
    relay.close();
  });
  const client = await pool.connect();
  const read = async () => (await client.query('SELECT 1 AS one')).rows;
  await client.query('BEGIN');
  // As after a pause between the statements of a transaction.
  client.connection.stream.emit('timeout');
  expect(await read()).toEqual([{ one: 1 }]);

  relay.cut();
  client.on('error', () => {});
  const error = await read().catch((thrown: unknown) => thrown);
  client.release();
  expect(isDatabaseAway(error)).toBe(true);
  relay.restore();
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});
