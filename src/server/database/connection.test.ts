import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { env } from '../settings/env';
import { connectionTo } from './connection';
import { type Database, readDatabase, separateDatabase } from './db';

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
