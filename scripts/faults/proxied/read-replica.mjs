import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startTemporaryReplica } from '../../postgres/temporary-postgres.mjs';
import { until } from '../../testing/trial.mjs';
import { figures } from '../figures.mjs';
import { startProxied } from './setting.mjs';

const WRITERS = 3;
const READERS = 3;
const PAUSE_MS = 30;
const PHASE_MS = 5_000;
const TIMEOUT_MS = 30_000;
const APPLY_DELAY_MS = 300;

/**
 * Two instances behind nginx read from a replica that replays every change late, is killed and comes back. What a client
 * changed on one instance it reads on the other, and no request fails.
 */
export async function testReadReplica({ root, env, adminUrl, lifetime, check }) {
  const replica = await startTemporaryReplica(adminUrl);
  lifetime.atEnd(replica.stop);
  await delayReplay(replica.adminUrl);
  const settings = { DATABASE_READ_URL: replica.adminUrl };
  const setting = await startProxied({ root, env, adminUrl, lifetime, settings });
  const { instances, admin } = setting;
  const isReported = async (status) => {
    const checks = (await admin('/system/health')).checks.filter(({ name }) => name === 'read_replica');
    return checks.length === instances.length && checks.every((one) => one.status === status);
  };
  check('both instances read from the replica', await until(() => isReported('ok'), TIMEOUT_MS));

  const load = await startReadingAndWriting(setting);
  const isRead = await until(() => isReadNow(replica.adminUrl), TIMEOUT_MS);
  check('reads arrive at the replica', isRead);
  await sleep(PHASE_MS);
  await replica.kill();
  const isNoticed = await until(() => isReported('degraded'), TIMEOUT_MS);
  check('the health check says of both that the replica is away', isNoticed);
  await sleep(PHASE_MS);
  await replica.start();
  check('it is read again once it is back', await until(() => isReadNow(replica.adminUrl), TIMEOUT_MS));
  await sleep(PHASE_MS);
  const { changes, stale, reads, failed } = await load.stop();
  check(`not one of ${reads + changes} requests failed`, failed.length === 0, failed.slice(0, 3));
  check(
    `each of ${changes} changes was read by its client at once, on any instance`,
    changes > 0 && stale === 0,
    stale,
  );
  figures(`the replica replays ${APPLY_DELAY_MS} ms late; ${reads} reads`);
}

/** Writers with a key each read what they have changed; readers read what others change. */
async function startReadingAndWriting({ admin, call, domain }) {
  /** @type {{ isStopped: boolean, changes: number, stale: number, reads: number, failed: object[] }} */
  const state = { isStopped: false, changes: 0, stale: 0, reads: 0, failed: [] };
  const [{ id }] = await admin(`/domains?q=${domain}`);
  const newKey = async (name) => ({
    authorization: `Bearer ${(await admin('/api-keys', { name, rate_limit: 0 })).key}`,
  });
  const request = async (path, options) => {
    const { status, body } = await call(path, options);
    if (status !== 200) state.failed.push({ path, status, code: body?.error?.code });
    return body?.data;
  };
  const write = async (number) => {
    const headers = await newKey(`writer ${number}`);
    const { id: own } = await admin('/domains', { name: `written-${number}.${domain}` });
    for (let turn = 1; !state.isStopped; turn++) {
      const description = `${number}, ${turn}`;
      await request(`/domains/${own}`, { method: 'PATCH', headers, body: { description } });
      state.changes += 1;
      const list = await request(`/domains?q=written-${number}.${domain}`, { headers });
      const record = await request(`/domains/${own}`, { headers });
      state.reads += 2;
      if (list?.[0]?.description !== description || record?.description !== description) state.stale += 1;
      await sleep(PAUSE_MS);
    }
  };
  const read = async (number) => {
    const headers = await newKey(`reader ${number}`);
    while (!state.isStopped) {
      await request(`/domains/${id}`, { headers });
      state.reads += 1;
      await sleep(PAUSE_MS);
    }
  };
  const lanes = [
    ...Array.from({ length: WRITERS }, (_, number) => write(number)),
    ...Array.from({ length: READERS }, (_, number) => read(number)),
  ];
  return {
    async stop() {
      state.isStopped = true;
      await Promise.all(lanes);
      return state;
    },
  };
}

async function delayReplay(url) {
  await query(url, `ALTER SYSTEM SET recovery_min_apply_delay = '${APPLY_DELAY_MS}ms'`);
  await query(url, 'SELECT pg_reload_conf()');
}

/** Whether a connection's last query was one for domains, not one of the checks. */
async function isReadNow(url) {
  const { rowCount } = await query(
    url,
    `SELECT FROM pg_stat_activity WHERE query LIKE '%FROM "public"."domain"%'
    AND pid <> pg_backend_pid() AND query_start > now() - interval '2 seconds'`,
  );
  return rowCount !== 0;
}

async function query(url, statement) {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  return client.query(statement).finally(() => client.end());
}
