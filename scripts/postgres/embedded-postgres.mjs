// The embedded Postgres of a data directory: created once, started on a free loopback port, and adopted if it is still
// running after a crash.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../process/free-port.mjs';
import { PlainError } from '../process/plain-error.mjs';
import { giveTo, preparePostgresHome } from './postgres-home.mjs';

const SUPERUSER = 'postroom';
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_S = 8;
const RECOVERY_ATTEMPTS = 6;
const RECOVERY_INTERVAL_MS = 500;
/** A server that stops more often is not started again. */
const MAX_RESTARTS = 3;
const RESTARTS_WINDOW_MS = 10 * 60_000;
const MAX_LOG_BYTES = 5_000_000;
export const LOOPBACK_ONLY = ['-c listen_addresses=127.0.0.1', "-c unix_socket_directories=''", '-c timezone=UTC'];
/**
 * Settings for tests. What was committed outlasts a crash of the server, but not one of the machine. Several apps share the server,
 * and tests of limits fill the pools of each.
 */
export const NOT_DURABLE = ['-c fsync=off', '-c full_page_writes=off', '-c max_connections=300'];

/** @typedef {{ isWanted: () => boolean, onRestart: (reason: string) => void, onLost: (reason: string) => void }} Watcher */

/**
 * @param {{ dataDir: string, database: string, isDurable?: boolean, version?: string }} options `isDurable: false` and
 *   `version`, of Debian's Postgres, are for tests and benches.
 */
export async function startEmbeddedPostgres({ dataDir, database, isDurable = true, version }) {
  const cluster = openCluster(await preparePostgresHome(dataDir, version), isDurable);
  if (!existsSync(join(cluster.data, 'PG_VERSION'))) createCluster(cluster);
  const { port, isAdopted } = await startOrAdopt(cluster);
  await createDatabase(cluster, port, database);
  return {
    home: cluster.home,
    isAdopted,
    url: urlOf(cluster, port, database),
    adminUrl: urlOf(cluster, port, 'postgres'),
    /** @param {Watcher} watcher */
    watch: (watcher) => watch(cluster, port, watcher),
    stop: () => stop(cluster),
  };
}

/** @returns {Promise<string | undefined>} the URL of the server that runs for this data directory */
export async function findEmbeddedPostgres({ dataDir, database }) {
  const cluster = openCluster(await preparePostgresHome(dataDir), true);
  const port = readPidFile(cluster)?.port;
  return (await answers(cluster, port)) ? urlOf(cluster, port, database) : undefined;
}

/** Stops the server that runs for this data directory, if any, and deletes its files. */
export async function deleteEmbeddedPostgres({ dataDir }) {
  const cluster = openCluster(await preparePostgresHome(dataDir), true);
  stop(cluster);
  rmSync(cluster.home, { recursive: true, force: true });
}

function openCluster({ home, programs, osUser }, isDurable) {
  const data = join(home, 'data');
  const password = passwordOf(home, data, osUser);
  return { home, data, password, programs, osUser, isDurable, log: join(home, 'postgres.log') };
}

function passwordOf(home, data, osUser) {
  const file = join(home, 'password');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  if (existsSync(data))
    throw new PlainError(`${file} is missing: without it, the database in ${data} cannot be opened.`);
  writeFileSync(`${file}.new`, randomBytes(24).toString('base64url'), { mode: 0o600 });
  giveTo(osUser, `${file}.new`);
  renameSync(`${file}.new`, file);
  return readFileSync(file, 'utf8');
}

function createCluster(cluster) {
  const unfinished = `${cluster.data}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(cluster.data, { recursive: true, force: true });
  const result = run(cluster, cluster.programs.initdb, [
    `--pgdata=${unfinished}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${join(cluster.home, 'password')}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...localeOf(cluster),
    ...(cluster.isDurable ? [] : ['--no-sync']),
  ]);
  if (result.status !== 0) throw new PlainError(`The database could not be created:\n${lastLines(result.stderr)}`);
  renameSync(unfinished, cluster.data);
}

/** Sorts by code point. Postgres 15 and 16 have no locales of their own, so they take that of the operating system. */
function localeOf(cluster) {
  const major = Number(/\d+/.exec(run(cluster, cluster.programs.initdb, ['--version']).stdout)?.[0]);
  return major < 17 ? ['--locale=C.UTF-8'] : ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
}

/** @param {number} [wantedPort] instead of a free one */
async function startOrAdopt(cluster, wantedPort) {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let isAdopted = true;
  while (Date.now() < deadline) {
    const running = readPidFile(cluster);
    if (running && (await answers(cluster, running.port))) return { port: running.port, isAdopted };
    if (running && isPostmasterOf(cluster, running.pid)) {
      await sleep(200);
      continue;
    }
    rmSync(join(cluster.data, 'postmaster.pid'), { force: true });
    isAdopted = false;
    const failure = await startServer(cluster, wantedPort);
    if (failure && !isPassing(failure)) throw new PlainError(`Postgres did not start:\n${lastLines(failure)}`);
    if (failure) await sleep(500);
  }
  throw new PlainError(`Postgres did not start within ${START_TIMEOUT_MS / 1000} s; its log is ${cluster.log}.`);
}

/** @returns {Promise<string | undefined>} the log of Postgres, if it did not start */
async function startServer(cluster, wantedPort) {
  const logStart = sizeOfLog(cluster);
  const durability = cluster.isDurable ? [] : NOT_DURABLE;
  const settings = [`-p ${wantedPort ?? (await freePort())}`, ...LOOPBACK_ONLY, ...durability].join(' ');
  const timing = ['-w', '-t', String(START_TIMEOUT_MS / 1000)];
  const args = ['start', '-D', cluster.data, '-l', cluster.log, ...timing, '-o', settings];
  // No pipes: the server would inherit them, and this call would wait until it stops.
  const { status } = run(cluster, cluster.programs.pgCtl, args, 'ignore');
  return status === 0 ? undefined : readFileSync(cluster.log, 'utf8').slice(logStart) || 'The log is empty.';
}

function sizeOfLog({ log }) {
  if (!existsSync(log)) return 0;
  if (statSync(log).size > MAX_LOG_BYTES) truncateSync(log);
  return statSync(log).size;
}

/** Transient: processes of a killed server may still be ending, or the free port was taken by another process. */
function isPassing(failure) {
  return /shared memory block|lock file "postmaster.pid"|could not bind/.test(failure);
}

function readPidFile(cluster) {
  try {
    const [pid, , , port] = readFileSync(join(cluster.data, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(pid), port: Number(port) };
  } catch {
    return undefined;
  }
}

/** Probes the port, because the pid may belong to another process by now, or to a zombie. */
function isPostmasterOf(cluster, pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' }).stdout?.includes(cluster.data);
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(cluster.data);
  } catch {
    return false;
  }
}

async function answers(cluster, port) {
  if (!port) return false;
  const client = new pg.Client({
    connectionString: urlOf(cluster, port, 'postgres'),
    connectionTimeoutMillis: 3_000,
    query_timeout: 3_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query('SHOW data_directory');
    return rows[0].data_directory === cluster.data;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function createDatabase(cluster, port, database) {
  const client = new pg.Client({ connectionString: urlOf(cluster, port, 'postgres') });
  await client.connect();
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
  await client.end();
}

/**
 * Holds a connection, which breaks when the server dies. Reconnects to a server that restarts by itself, and starts one that
 * was killed again, on the same port.
 */
async function watch(cluster, port, watcher, restarts = []) {
  const client = new pg.Client({ connectionString: urlOf(cluster, port, 'postgres') });
  client.on('error', () => {});
  client.once('end', async () => {
    for (let attempt = 0; attempt < RECOVERY_ATTEMPTS; attempt++) {
      await sleep(RECOVERY_INTERVAL_MS);
      if (await answers(cluster, port)) return watch(cluster, port, watcher, restarts);
    }
    if (!watcher.isWanted()) return;
    const recent = restarts.filter((at) => Date.now() - at < RESTARTS_WINDOW_MS);
    const reason = `Postgres stopped; its log is ${cluster.log}.`;
    if (recent.length >= MAX_RESTARTS) return watcher.onLost(reason);
    watcher.onRestart(`${reason} Starting it again …`);
    try {
      await startOrAdopt(cluster, port);
      await watch(cluster, port, watcher, [...recent, Date.now()]);
    } catch (error) {
      watcher.onLost(error.message);
    }
  });
  await client.connect();
}

function stop(cluster) {
  for (const mode of ['fast', 'immediate']) {
    const args = ['stop', '-D', cluster.data, '-m', mode, '-w', '-t', String(STOP_TIMEOUT_S)];
    if (run(cluster, cluster.programs.pgCtl, args, 'ignore').status === 0) return;
    if (!isPostmasterOf(cluster, readPidFile(cluster)?.pid)) return;
  }
}

function run(cluster, program, args, stdio = 'pipe') {
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  return spawnSync(program, args, { ...cluster.osUser, cwd: '/', env, stdio, encoding: 'utf8' });
}

function urlOf(cluster, port, database) {
  return `postgresql://${SUPERUSER}:${cluster.password}@127.0.0.1:${port}/${database}`;
}

function lastLines(text) {
  return text.trim().split('\n').slice(-6).join('\n');
}
