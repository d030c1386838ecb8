import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '../../postgres/database.mjs';
import { until } from '../../testing/trial.mjs';
import { figures } from '../figures.mjs';
import { startLoad } from './load.mjs';
import { startProxied } from './setting.mjs';

const DRAIN_TIMEOUT_MS = 30_000;
const LOAD_MS = 2_000;

const REVISION = 'prisma/functions/revision.json';
/** Additions to tables that every send and read uses. */
const MIGRATION = `ALTER TABLE message ADD COLUMN next text, ADD COLUMN next_count integer NOT NULL DEFAULT 0;
  ALTER TABLE domain ADD COLUMN next text; CREATE INDEX message_next_idx ON message (next_count);
  CREATE TABLE next (id uuid PRIMARY KEY, message_id uuid NOT NULL REFERENCES message (id) ON DELETE CASCADE);`;

/**
 * An instance is drained, taken out of nginx, stopped, started and put back, one after the other. In between, the database gets the
 * tables and functions of a newer version, with which the other instance goes on. No request may fail.
 */
export async function testDrainedInstances({ root, env, adminUrl, lifetime, check }) {
  const setting = await startProxied({ root, env, adminUrl, lifetime });
  const { admin, nginx, instances, sink } = setting;
  const load = startLoad(setting);
  await sleep(LOAD_MS);
  for (const instance of instances) {
    const node = (await admin('/cluster/nodes')).find(({ process_id: pid }) => pid === instance.pid());
    await admin(`/cluster/nodes/${node.id}`, { state: 'draining' }, 'PATCH');
    const isDrained = await until(async () => (await healthOf(instance)) === 503, DRAIN_TIMEOUT_MS);
    check('a draining instance is not ready', isDrained);
    await nginx.reload({ downPort: instance.port });
    const exitCode = await instance.stop();
    check('it stopped with exit code 0', exitCode === 0, exitCode);
    await sleep(LOAD_MS);
    if (instance === instances[0]) {
      const count = await migrate(makeNewerVersion(root, lifetime), adminUrl);
      check('a newer version migrated the database beside the other instance', count === 1, count);
    }
    await instance.restart();
    await nginx.reload();
    await sleep(LOAD_MS);
  }
  await load.stop();
  const { keyed, unkeyed, reads } = load.done;
  const all = [...keyed, ...unkeyed, ...reads];
  const failed = all.filter((one) => one.status !== 200 || ('tries' in one && one.tries > 1));
  check(`not one of ${all.length} requests failed`, failed.length === 0, failed.slice(0, 3));
  const sent = keyed.length + unkeyed.length;
  check(`the mail server got ${sent} messages`, sink.received.length === sent, sink.received.length);
  figures('both instances were drained, stopped and started again, on the tables of a newer version');
}

/** @returns {string} a folder with a further migration, and functions that are all applied again */
function makeNewerVersion(root, lifetime) {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-newer-'));
  lifetime.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, 'prisma'), join(folder, 'prisma'), { recursive: true });
  const { revision, hash } = JSON.parse(readFileSync(join(root, REVISION), 'utf8'));
  writeFileSync(join(folder, REVISION), JSON.stringify({ revision: revision + 1, hash }));
  const migration = join(folder, 'prisma/migrations/20990101000000_next');
  mkdirSync(migration);
  writeFileSync(join(migration, 'migration.sql'), MIGRATION);
  return folder;
}

async function healthOf({ api }) {
  return (await fetch(`${api}/health`)).status;
}
