// The app's role and database in the Postgres of this host.
import { rmSync, writeFileSync } from 'node:fs';
import { PlainError } from '../../scripts/process/plain-error.mjs';
import { run, succeeds } from './commands.mjs';
import { renameDurably } from './files.mjs';

const OLDEST = 15;
const DEFAULT_PORT = 5432;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** @returns {boolean} false if the settings name a Postgres on another host, which somebody else looks after */
export function isDatabaseHere(url) {
  return !url || LOOPBACK.test(new URL(url).hostname);
}

/** @returns {number} the port of the newest cluster of Debian's Postgres; without one, that of the cluster that will be made */
export function databasePort() {
  return clusters()[0]?.port ?? DEFAULT_PORT;
}

/** @param {string} url */
export function canSignIn(url) {
  return succeeds('psql', ['-X', '-q', '-o', '/dev/null', '-c', 'SELECT 1'], { env: connectionOf(url) });
}

/** Runs SQL. @returns {string} what it selects, one row a line */
export function sql(url, text) {
  return run('psql', ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'], { env: connectionOf(url), input: text }).trim();
}

/**
 * Writes a copy that pg_restore reads, as the database was in one moment. Only root can read it.
 * @param {string} url
 * @param {string} file
 * @param {string} part the name of the file until it is whole
 */
export function dump(url, file, part) {
  try {
    writeFileSync(part, '', { mode: 0o600 });
    // pg_dump waits until the copy is on the disk.
    run('pg_dump', ['-Fc', '-f', part], { env: connectionOf(url) });
    renameDurably(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Creates what is missing, and gives the role the password of the settings. @throws PlainError if the database is somebody else's */
export function makeDatabase(url) {
  const { port, username, password, pathname } = new URL(url);
  const name = pathname.slice(1);
  const cluster = clusters().find((each) => each.port === Number(port || DEFAULT_PORT));
  if (!cluster)
    throw new PlainError(
      `No Postgres ${OLDEST} or later of Debian uses port ${port || DEFAULT_PORT}, which DATABASE_URL in /etc/postroom/settings names.`,
    );
  run('systemctl', ['start', `postgresql@${cluster.version}-${cluster.name}`]);
  const asSuperuser = (sql) => run('runuser', ['-u', 'postgres', '--', ...psql(cluster.port)], { input: sql });
  const owner = asSuperuser(
    `SELECT rolname FROM pg_database JOIN pg_roles ON pg_roles.oid = datdba WHERE datname = ${literal(name)};`,
  ).trim();
  if (owner !== '' && owner !== username)
    throw new PlainError(
      `The database ${name} on this host belongs to ${owner}. Name another one in DATABASE_URL and MAIL_DATABASE in /etc/postroom/settings.`,
    );
  // On standard input, because every user of the host can read arguments.
  asSuperuser(`
    SELECT 'CREATE ROLE ' || quote_ident(${literal(username)})
     WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${literal(username)}) \\gexec
    ALTER ROLE "${username}" LOGIN PASSWORD ${literal(decodeURIComponent(password))};`);
  if (owner === '')
    asSuperuser(`CREATE DATABASE "${name}" OWNER "${username}" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8';`);
  if (!canSignIn(url)) throw new PlainError(`${username} can't sign in to the new database at port ${cluster.port}.`);
}

/** @returns {{ version: number, name: string, port: number }[]} the newest first */
function clusters() {
  if (!succeeds('pg_lsclusters', ['-h'])) return [];
  return run('pg_lsclusters', ['-h'])
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([version, name = '', port]) => ({ version: Number(version), name, port: Number(port) }))
    .filter(({ version }) => version >= OLDEST)
    .sort((one, other) => other.version - one.version);
}

function psql(port) {
  return ['psql', '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-p', String(port), '-d', 'postgres'];
}

function connectionOf(url) {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    PGHOST: hostname.replace(/^\[|\]$/g, ''),
    PGPORT: port || String(DEFAULT_PORT),
    PGUSER: username,
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: pathname.slice(1),
    PGCONNECT_TIMEOUT: '5',
  };
}

function literal(text) {
  return `'${text.replaceAll("'", "''")}'`;
}
