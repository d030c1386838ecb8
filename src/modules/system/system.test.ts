import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { env } from '@/server/settings/env';
import { client, expectError, keyClient } from '@/test/rest';
import packageJson from '../../../package.json';

async function administer(statement: string): Promise<void> {
  const connection = new pg.Client(inject('adminUrl'));
  await connection.connect();
  await connection.query(statement);
  await connection.end();
}

describe('health', () => {
  it('is public and reports ok', async () => {
    const answer = await client().get('/health');
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ status: 'ok' });
  });

  it('reports down while the database is unavailable, without the cause, and recovers on its own', async () => {
    const api = await keyClient();
    expect((await api.get('/auth/me')).status).toBe(200);
    const name = new URL(env().databaseUrl).pathname.slice(1);
    await administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);

    const down = await client().get('/health');
    expect(down.status).toBe(503);
    expect(down.data).toEqual({ status: 'down' });
    const rejected = expectError(await api.get('/auth/me'), 503, 'SERVICE_UNAVAILABLE');
    expect(rejected.headers.get('retry-after')).toBe('2');
    expect(JSON.stringify(rejected.error)).not.toMatch(/connect|postgres|prisma|127\.0\.0\.1/i);

    await administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    expect((await client().get('/health')).status).toBe(200);
    expect((await api.get('/auth/me')).status).toBe(200);
  });
});

it('the version is public and includes the API version', async () => {
  const answer = await client().get('/version');
  expect(answer.data).toEqual({ version: packageJson.version, api_version: 'v1', commit: null });
});
