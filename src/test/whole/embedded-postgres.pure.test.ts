import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { startEmbeddedPostgres } from '../../../scripts/postgres/embedded-postgres.mjs';

it('an embedded Postgres that was killed is started again on the same port, unless the app is ending', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'postroom-embedded-'));
  // The database runs as another user if this one is root.
  chmodSync(dataDir, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir, database: 'postroom', isDurable: false });
  let isWanted = true;
  onTestFinished(() => {
    isWanted = false;
    postgres.stop();
    rmSync(dataDir, { recursive: true });
  });
  const reasons: string[] = [];
  await postgres.watch({
    isWanted: () => isWanted,
    onRestart: (reason: string) => reasons.push(reason),
    onLost: (reason: string) => reasons.push(`lost: ${reason}`),
  });
  const pidFile = join(postgres.home, 'data', 'postmaster.pid');
  const pid = () => Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  const first = pid();
  process.kill(first, 'SIGKILL');
  const answer = async () => {
    const client = new pg.Client({ connectionString: postgres.url });
    client.on('error', () => {});
    return client
      .connect()
      .then(() => client.query('SELECT 1 AS n'))
      .then(({ rows }) => rows[0].n)
      .catch(() => null)
      .finally(() => client.end().catch(() => {}));
  };
  await expect.poll(() => reasons.length).toBe(1);
  await expect.poll(answer).toBe(1);
  expect(pid()).not.toBe(first);
  expect(reasons).toEqual([expect.stringMatching(/^Postgres stopped; .+ Starting it again …$/)]);
});
