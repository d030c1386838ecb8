// A streaming replica of a running Postgres, for tests. The packaged Postgres has no pg_basebackup, so the base backup is
// taken with the functions that it uses.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../process/free-port.mjs';
import { PlainError } from '../process/plain-error.mjs';
import { LOOPBACK_ONLY, NOT_DURABLE } from './embedded-postgres.mjs';
import { giveTo, preparePostgresHome } from './postgres-home.mjs';

const START_ATTEMPTS = 20;
const OMITTED = ['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot'];

/**
 * @param {{ dataDir: string, primaryUrl: string, isDurable: boolean, version?: string }} options `primaryUrl` is of its
 *   superuser
 */
export async function startReplica({ dataDir, primaryUrl, isDurable, version }) {
  const { home, programs, osUser } = await preparePostgresHome(dataDir, version);
  const data = join(home, 'data');
  const log = join(home, 'postgres.log');
  const port = await freePort();
  const run = (args) =>
    spawnSync(programs.pgCtl, args, {
      ...osUser,
      cwd: '/',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: 'ignore',
    });
  await backUp({ primaryUrl, data, osUser });
  const start = () => {
    const settings = [`-p ${port}`, ...LOOPBACK_ONLY, ...(isDurable ? [] : NOT_DURABLE)].join(' ');
    // After a crash, processes of the killed server may still be ending.
    for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
      if (run(['start', '-D', data, '-l', log, '-w', '-o', settings]).status === 0) return;
    }
    throw new PlainError(
      `The replica did not start:\n${readFileSync(log, 'utf8').trim().split('\n').slice(-6).join('\n')}`,
    );
  };
  start();
  return {
    adminUrl: Object.assign(new URL(primaryUrl), { port: String(port) }).href,
    start,
    /** Like kill -9: no checkpoint, and connections break. */
    kill: () => void run(['stop', '-D', data, '-m', 'immediate', '-w']),
  };
}

async function backUp({ primaryUrl, data, osUser }) {
  const slot = `replica_${randomBytes(4).toString('hex')}`;
  const primary = new pg.Client(primaryUrl);
  await primary.connect();
  try {
    const { rows } = await primary.query(
      `SELECT current_setting('data_directory') AS source, pg_create_physical_replication_slot($1, true)`,
      [slot],
    );
    await primary.query(`SELECT pg_backup_start('replica', true)`);
    copy(rows[0].source, data, osUser);
    const { rows: stopped } = await primary.query('SELECT labelfile FROM pg_backup_stop(false)');
    write(join(data, 'backup_label'), stopped[0].labelfile, osUser);
  } finally {
    await primary.end();
  }
  const { hostname, port, username, password } = new URL(primaryUrl);
  const source = `host=${hostname} port=${port} user=${username} password=${password} application_name=replica`;
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\nprimary_slot_name = '${slot}'\n`);
  write(join(data, 'standby.signal'), '', osUser);
}

/** Files may disappear meanwhile; replaying the log accounts for them. */
function copy(source, data, osUser) {
  spawnSync('cp', ['-a', source, data], { stdio: 'ignore' });
  for (const name of OMITTED) rmSync(join(data, name), { recursive: true, force: true });
  for (const name of ['pg_wal', 'pg_replslot']) {
    mkdirSync(join(data, name), { mode: 0o700 });
    giveTo(osUser, join(data, name));
  }
}

function write(path, text, osUser) {
  writeFileSync(path, text, { mode: 0o600 });
  giveTo(osUser, path);
}
