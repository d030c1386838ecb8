import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../process/free-port.mjs';
import { apiOf, startApp } from '../testing/app.mjs';

/** App instances on one database, each with a data folder that outlives its process. */
export async function startInstances(count, { root, env, lifetime }) {
  const instances = [];
  for (let index = 0; index < count; index++) instances.push(await startInstance({ root, env, lifetime }));
  return instances;
}

async function startInstance({ root, env, lifetime }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postroom-faults-'));
  const port = await freePort();
  const own = { ...env, DATA_DIR: dataDir };
  const instance = { port, api: apiOf(port), ...(await startApp(root, own, port)) };
  lifetime.atEnd(async () => {
    instance.child.kill('SIGKILL');
    await instance.ended;
    rmSync(dataDir, { recursive: true, force: true });
  });
  return {
    port,
    api: instance.api,
    pid: () => instance.child.pid,
    /** Stops an instance like a service manager. @returns its exit code */
    async stop() {
      instance.child.kill('SIGTERM');
      await instance.ended;
      return instance.child.exitCode;
    },
    async restart() {
      Object.assign(instance, await startApp(root, own, port));
    },
    /** Kills an instance without warning and restarts it immediately. */
    async killAndRestart(afterKill) {
      instance.child.kill('SIGKILL');
      await instance.ended;
      await afterKill();
      Object.assign(instance, await startApp(root, own, port));
    },
  };
}

/** Connects to the database of the instances, for what a test looks at. */
export function openDatabase(adminUrl, lifetime) {
  const db = new pg.Pool({ connectionString: adminUrl, max: 4 });
  // Postgres may stop before the last connection has closed.
  db.on('error', () => {});
  lifetime.atEnd(() => db.end());
  return db;
}
