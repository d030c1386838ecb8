import { readFileSync } from 'node:fs';
import { migrate } from '../postgres/database.mjs';
import { freePort } from '../process/free-port.mjs';
import { apiOf, appEnvironment, call, createKey, startApp } from '../testing/app.mjs';
import { startBenchPostgres } from './database.mjs';

const DOMAIN = 'bench.example';

/**
 * Starts a server with an admin, an API key without rate limit, and a domain.
 * @returns {Promise<{
 *   api: string, key: string, port: number, pid: number | undefined, databaseUrl: string, domain: string,
 *   memoryBytes: () => number
 * }>}
 */
export async function startBenchServer(root, dataDir, lifetime, settings = {}) {
  const databaseUrl = await startBenchPostgres(lifetime);
  await migrate(root, databaseUrl);
  return startServerOn(databaseUrl, root, dataDir, lifetime, settings);
}

/** The same, on a database that is migrated already. @returns {ReturnType<typeof startBenchServer>} */
export async function startServerOn(databaseUrl, root, dataDir, lifetime, settings = {}) {
  const port = await freePort();
  const api = apiOf(port);
  const { child: server, ended } = await startApp(
    root,
    { ...appEnvironment(databaseUrl), ...settings, DATA_DIR: dataDir },
    port,
  );
  lifetime.atEnd(() => {
    server.kill('SIGTERM');
    return ended;
  });
  const key = await createKey(port);
  await call(api, key, '/domains', { name: DOMAIN });
  await call(api, key, '/abuse/thresholds', { mailbox_hourly: 1_000_000, domain_hourly: 1_000_000 }, 'PATCH');
  return {
    api,
    key,
    port,
    pid: server.pid,
    databaseUrl,
    domain: DOMAIN,
    memoryBytes: () => residentBytes(server.pid),
  };
}

/** Linux only; 0 elsewhere. */
function residentBytes(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  } catch {
    return 0;
  }
}
