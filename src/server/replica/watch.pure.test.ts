import pg from 'pg';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { startTcpRelay } from '@/test/servers/tcp-relay';
import { startTemporaryPostgres, startTemporaryReplica } from '../../../scripts/postgres/temporary-postgres.mjs';
import { watchReplica } from './watch';

const NEVER_MS = 3_600_000;

const primary = await startTemporaryPostgres();
afterAll(primary.stop);
const replica = await startTemporaryReplica(primary.adminUrl);
afterAll(replica.stop);

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** Watches the replica, once it is usable, with a primary that can stop to answer. */
async function watch(maxLagMs: number) {
  const { port } = new URL(primary.adminUrl);
  const relay = await startTcpRelay(Number(port));
  onTestFinished(relay.close);
  const relayed = Object.assign(new URL(primary.adminUrl), { port: String(relay.port) }).href;
  let timesUnusable = 0;
  const watched = watchReplica({ primary: relayed, replica: replica.adminUrl, maxLagMs }, () => {
    timesUnusable += 1;
  });
  onTestFinished(watched.end);
  await expect.poll(watched.problem).toBeNull();
  return { watched, relay, timesUnusable: () => timesUnusable };
}

it('a replica is read on while the primary does not answer, and no connection to it is cut', async () => {
  const { watched, relay, timesUnusable } = await watch(NEVER_MS);
  relay.cut();
  await watched.checkNow();
  expect(watched.problem()).toBeNull();
  expect(timesUnusable()).toBe(0);
  relay.restore();
  await expect.poll(watched.lagMs).toBeLessThan(1_500);
});

it('a replica whose primary has not answered for too long is not read until the primary answers', async () => {
  const { watched, relay, timesUnusable } = await watch(1_500);
  relay.cut();
  await expect.poll(watched.problem).toMatch(/^The primary has not answered for \d+ seconds/);
  await expect.poll(timesUnusable).toBe(1);
  relay.restore();
  await expect.poll(watched.problem).toBeNull();
});

// The last test, since it ends the replica.
it('a replica that was promoted is not read, although the primary does not answer', async () => {
  const { watched, relay } = await watch(NEVER_MS);
  relay.cut();
  await watched.checkNow();
  await run(replica.adminUrl, 'SELECT pg_promote()');
  await expect.poll(watched.problem).toBe('It is not a replica: it accepts changes itself.');
});
