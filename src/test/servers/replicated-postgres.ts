import { execFileSync } from 'node:child_process';
import { afterAll } from 'vitest';
import { processWide } from '@/server/process-wide';
import { startTemporaryPostgres, startTemporaryReplica } from '../../../scripts/postgres/temporary-postgres.mjs';
import type { TestServer } from '../database';

const TEMPLATE = 'postroom';

/**
 * Gives the test file a Postgres of its own with a streaming replica. Call it before anything imports `@/test/database`,
 * whose database is then on both.
 */
export async function startReplicatedPostgres() {
  const primary = await startTemporaryPostgres();
  afterAll(primary.stop);
  execFileSync('npx', ['prisma', 'migrate', 'deploy'], {
    env: { ...process.env, DATABASE_URL: urlOf(primary.adminUrl, TEMPLATE), CHECKPOINT_DISABLE: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const replica = await startTemporaryReplica(primary.adminUrl);
  afterAll(replica.stop);
  const server = { adminUrl: primary.adminUrl, template: TEMPLATE, replicaUrl: replica.adminUrl };
  processWide<TestServer>('test server').current = server;
  return { replica, ...server };
}

function urlOf(adminUrl: string, database: string): string {
  return Object.assign(new URL(adminUrl), { pathname: `/${database}` }).href;
}
