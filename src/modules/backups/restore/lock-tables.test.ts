import { setTimeout } from 'node:timers/promises';
import { expect, inject, it, onTestFinished } from 'vitest';
import { backUp, connect, sourceOf } from '@/test/backups';
import { db } from '@/test/database';
import { makeAlias, makeDomain } from '@/test/factories';
import { BackupError } from '../archive/format';
import { lockTables } from './lock-tables';
import { restore } from './restore';

const client = await connect(String(process.env.DATABASE_URL));
const holder = await connect(String(process.env.DATABASE_URL));

it('who changes several tables in a transaction gets no error from restores', async () => {
  const { id } = await makeDomain();
  await makeAlias(id, 'hello', 'ann@b.example');
  const archive = sourceOf(await backUp(client));
  let isWriting = true;
  let written = 0;
  const write = async () => {
    while (isWriting) {
      await db.$transaction(async (tx) => {
        await tx.domain.updateMany({ data: { description: 'new' } });
        // Long enough that a restore comes between.
        await tx.$queryRaw`SELECT pg_sleep(0.02)::text`;
        await tx.alias.updateMany({ data: { active: true } });
      });
      written += 1;
      await setTimeout(50);
    }
  };
  const writers = [write(), write()];
  for (let i = 0; i < 3; i++) await restore(client, archive);
  isWriting = false;
  await Promise.all(writers);
  expect(written).toBeGreaterThan(0);
});

it('a restore that can’t have a table says what is in the way, and changes nothing', async () => {
  await holder.query('BEGIN; LOCK TABLE alias IN ACCESS SHARE MODE');
  const { rows } = await holder.query('SELECT pg_backend_pid() AS pid');
  await client.query('BEGIN');
  const error = await lockTables(client, ['domain', 'alias'], { mode: 'ACCESS EXCLUSIVE', waitMs: 0 }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BackupError);
  expect((error as Error).message).toMatch(
    new RegExp(
      `^The database is in use: process ${rows[0].pid} of the database user \\S+ has used (alias|domain) in one transaction`,
    ),
  );
  // Others can go on meanwhile.
  expect(await db.domain.count()).toBe(1);
  await holder.query('COMMIT');
  await lockTables(client, ['domain', 'alias'], { mode: 'ACCESS EXCLUSIVE', waitMs: 0 });
  await client.query('ROLLBACK');
});

it('a restore is not stopped by an autovacuum, whatever the rights of its user', async () => {
  const server = await connect(inject('adminUrl'));
  const setNaptime = async (change: string) => {
    await server.query(`ALTER SYSTEM ${change}`);
    await server.query('SELECT pg_reload_conf()');
  };
  onTestFinished(() => setNaptime('RESET autovacuum_naptime'));
  // Slow enough to last for minutes.
  await client.query(`ALTER TABLE alias SET (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1,
    autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0)`);
  const { id } = await makeDomain();
  await client.query(
    `INSERT INTO alias (id, domain_id, source_local_part, destination, updated_at)
     SELECT gen_random_uuid(), $1, 'n' || n, repeat('ann@b.example, ', 100), now() FROM generate_series(1, 5000) AS n`,
    [id],
  );
  await client.query('UPDATE alias SET active = false');
  const vacuum = async () =>
    (
      await server.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity JOIN pg_locks USING (pid)
          WHERE backend_type = 'autovacuum worker' AND relation = $1 AND datname = $2`,
        [(await client.query("SELECT 'alias'::regclass::oid AS oid")).rows[0].oid, client.database],
      )
    ).rows[0]?.pid;
  await setNaptime("SET autovacuum_naptime = '1s'");
  await expect.poll(vacuum, { timeout: 50_000 }).toBeDefined();

  await client.query('CREATE ROLE restoring; GRANT ALL ON ALL TABLES IN SCHEMA public TO restoring');
  onTestFinished(async () => void (await client.query('ROLLBACK; DROP OWNED BY restoring; DROP ROLE restoring')));
  await client.query('BEGIN; SET LOCAL ROLE restoring');
  await lockTables(client, ['domain', 'alias'], { mode: 'ACCESS EXCLUSIVE', waitMs: 0 });
  expect(await vacuum()).toBeUndefined();
});
