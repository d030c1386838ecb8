import pg from 'pg';
import { expect, it } from 'vitest';
import { startTcpRelay } from '@/test/servers/tcp-relay';
import '@/test/database';
import { withDatabase } from './connect';

const url = new URL(process.env.DATABASE_URL ?? '');

async function isLocked(): Promise<boolean> {
  const client = new pg.Client(url.href);
  await client.connect();
  const { rows } = await client.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 7203019");
  await client.end();
  return rows.length > 0;
}

it('Postgres notices soon that the machine of a restore is gone', async () => {
  const relay = await startTcpRelay(Number(url.port));
  const relayed = Object.assign(new URL(url), { hostname: '127.0.0.1', port: `${relay.port}` });
  const shown = await withDatabase(relayed.href, async (client) => {
    const { rows } = await client.query(
      `SELECT name, setting FROM pg_settings
        WHERE name IN ('tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count',
                       'tcp_user_timeout', 'client_connection_check_interval')
        ORDER BY name`,
    );
    return rows.map(({ name, setting }) => `${name} ${setting}`);
  });
  relay.close();
  expect(shown).toEqual([
    'client_connection_check_interval 5000',
    'tcp_keepalives_count 3',
    'tcp_keepalives_idle 10',
    'tcp_keepalives_interval 5',
    'tcp_user_timeout 25000',
  ]);
});

it('an operation that is stopped ends while a statement runs, and its lock is released', async () => {
  const stopping = new AbortController();
  const running = withDatabase(
    url.href,
    async (client) => {
      const statement = client.query('SELECT pg_sleep(600)');
      stopping.abort(new Error('stopped'));
      await statement;
    },
    { signal: stopping.signal },
  );
  await expect(running).rejects.toThrow(/Connection terminated/);
  await expect.poll(isLocked).toBe(false);
});

it('an operation that is stopped ends while the database no longer answers', async () => {
  const relay = await startTcpRelay(Number(url.port));
  const relayed = Object.assign(new URL(url), { hostname: '127.0.0.1', port: `${relay.port}` });
  const stopping = new AbortController();
  const running = withDatabase(
    relayed.href,
    async (client) => {
      relay.cut();
      const statement = client.query('SELECT 1');
      stopping.abort(new Error('stopped'));
      await statement.finally(() => client.query('ROLLBACK').catch(() => {}));
    },
    { signal: stopping.signal },
  );
  await expect(running).rejects.toThrow(/Connection terminated/);
  relay.close();
});
