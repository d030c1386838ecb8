// The app's role and database in the Postgres of this host.
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { PlainError } from '../../scripts/process/plain-error.mjs';
import { renameDurably } from '../mail/replace-file.mjs';
import { tlsOf } from '../mail/settings.mjs';
import { run, succeeds } from './commands.mjs';
import { listeners } from './listeners.mjs';

const OLDEST = 15;
const DEFAULT_PORT = 5432;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** @returns {boolean} false if the settings name a Postgres on another host, which somebody else looks after */
export function isDatabaseHere(url) {
  return !url || LOOPBACK.test(new URL(url).hostname);
}

/** @returns {number} the port of the newest cluster of Debian's Postgres; without one, that of the cluster that will be made */
export function databasePort() {
  const taken = listeners().map(({ port }) => port);
  let free = DEFAULT_PORT;
  while (taken.includes(free)) free += 1;
  return clusters()[0]?.port ?? free;
}

/** @param {string} url */
export function canSignIn(url) {
  return succeeds('psql', [...QUIETLY, '-c', 'SELECT 1'], { env: connectionOf(url) });
}

/**
 * Tells whether the database that an installation would use has accounts of Postroom already. One that doesn't answer has none.
 * @param {string} url
 */
export function hasAccounts(url = defaultUrl()) {
  if (isDatabaseHere(url)) return hasRows(url, 'admin', databaseOf(url));
  return succeeds('psql', [...QUIETLY, '-c', countRows('admin')], { env: connectionOf(url) });
}

/**
 * Tells whether the role of this host's Postgres that an installation would give its password belongs to another program: it can't sign in
 * with the password of the settings, and doesn't own the database of an earlier installation.
 * @param {string | undefined} url
 */
export function isRoleOfAnother(url) {
  if (url && (!isDatabaseHere(url) || canSignIn(url) || canSignIn(inDatabase(url, 'postgres')))) return false;
  const ours = url ?? defaultUrl();
  const [role, database] = [decodeURIComponent(new URL(ours).username), databaseOf(ours)].map(literal);
  const rows = `pg_roles WHERE rolname = ${role}
    AND NOT EXISTS (SELECT FROM pg_database WHERE datname = ${database} AND datdba = pg_roles.oid)`;
  return hasRows(ours, rows, 'postgres');
}

/**
 * @param {import('./settings.mjs').Settings} settings those of a database on another host
 * @returns {string[]} why the app, or the mail server, can't use it
 */
export function remoteProblems({ DATABASE_URL: url = '', MAIL_DATABASE: ofMail = '' }) {
  const reason = signInProblem(url);
  if (reason) return [`The database at DATABASE_URL in /etc/postroom/settings can't be used: ${reason}`];
  if (process.env.DATABASE_ADMIN_URL || canSignIn(ofMail)) return [];
  return [
    "The mail server's role isn't in that database yet. Give the URL of a role that can create it: sudo DATABASE_ADMIN_URL=postgresql://… deploy/install (docs/installation.md#a-database-on-another-host)",
  ];
}

/** @returns {string | null} why nobody can sign in with this URL */
function signInProblem(url) {
  try {
    sql(url, 'SELECT 1;');
    return null;
  } catch (error) {
    return error.message.replace(/^psql failed: (psql: )?(error: )?/, '');
  }
}

/**
 * pg_dump copies no database of a newer Postgres.
 * @param {string} url
 * @returns {string[]}
 */
export function dumpVersionProblems(url) {
  const own = /\d+/.exec(run('pg_dump', ['--version'], { env: connectionOf(url) }))?.[0] ?? '0';
  const ofServer = Math.floor(Number(sql(url, 'SHOW server_version_num;')) / 10_000);
  if (Number(own) >= ofServer) return [];
  return [
    `The database is of Postgres ${ofServer}, and pg_dump of this host is of version ${own}, which can't copy it before the upgrade. Install postgresql-client-${ofServer}.`,
  ];
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
  const find = () => clusters().find((each) => each.port === Number(port || DEFAULT_PORT));
  if (!find()) makeCluster(Number(port || DEFAULT_PORT));
  const cluster = find();
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
  // On standard input, because every user of the host can read arguments. Both or neither, because a role without this password is
  // another program's (isRoleOfAnother).
  asSuperuser(`
    BEGIN;
    SELECT 'CREATE ROLE ' || quote_ident(${literal(username)})
     WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${literal(username)}) \\gexec
    ALTER ROLE "${username}" LOGIN PASSWORD ${literal(decodeURIComponent(password))};
    COMMIT;`);
  if (owner === '')
    asSuperuser(`CREATE DATABASE "${name}" OWNER "${username}" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8';`);
  const reason = signInProblem(url);
  if (reason)
    throw new PlainError(`${username} can't sign in to the database ${name} at port ${cluster.port}: ${reason}`);
}

/**
 * Creates a cluster where Debian's package has none, as after an installation of the package that was killed: then the package counts as
 * installed, and a folder that no server has ever used is in the way.
 */
function makeCluster(port) {
  const programs = '/usr/lib/postgresql';
  const [version = 0] = (existsSync(programs) ? readdirSync(programs) : [])
    .map(Number)
    .toSorted((one, other) => other - one);
  const config = `/etc/postgresql/${version}/main`;
  const data = `/var/lib/postgresql/${version}/main`;
  if (version < OLDEST || existsSync(`${config}/postgresql.conf`) || existsSync(`${data}/postmaster.opts`)) return;
  for (const folder of [config, data]) rmSync(folder, { recursive: true, force: true });
  run('pg_createcluster', ['--port', String(port), String(version), 'main']);
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

const QUIETLY = ['-X', '-q', '-o', '/dev/null'];
const countRows = (rows) => `SELECT 1 / count(*) FROM ${rows}`;

/** Whether this host's Postgres answers and has such rows. */
function hasRows(url, rows, database) {
  const where = ['-p', new URL(url).port || String(DEFAULT_PORT), '-d', database];
  return succeeds('runuser', ['-u', 'postgres', '--', 'psql', ...QUIETLY, ...where, '-c', countRows(rows)]);
}

const defaultUrl = () => `postgresql://postroom@127.0.0.1:${databasePort()}/postroom`;
const databaseOf = (url) => new URL(url).pathname.slice(1);

function inDatabase(url, name) {
  return String(Object.assign(new URL(url), { pathname: `/${name}` }));
}

function connectionOf(url) {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const { sslmode, sslrootcert } = tlsOf(searchParams);
  return {
    ...(sslmode && { PGSSLMODE: sslmode }),
    ...(sslrootcert && { PGSSLROOTCERT: sslrootcert }),
    PGHOST: hostname.replace(/^\[|\]$/g, ''),
    PGPORT: port || String(DEFAULT_PORT),
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: pathname.slice(1),
    PGCONNECT_TIMEOUT: '5',
  };
}

export function literal(text) {
  return `'${text.replaceAll("'", "''")}'`;
}
