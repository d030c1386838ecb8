import { afterAll } from 'vitest';
import { processWide } from '@/server/process-wide';
import { migrate } from '../../../scripts/postgres/database.mjs';
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
  await migrate(process.cwd(), urlOf(primary.adminUrl, TEMPLATE));
  const replica = await startTemporaryReplica(primary.adminUrl);
  afterAll(replica.stop);
  const server = { adminUrl: primary.adminUrl, template: TEMPLATE, replicaUrl: replica.adminUrl };
  processWide<TestServer>('test server').current = server;
  return { replica, ...server };
}

function urlOf(adminUrl: string, database: string): string {
  return Object.assign(new URL(adminUrl), { pathname: `/${database}` }).href;
}
