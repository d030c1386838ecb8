import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BackupError, type Header } from '../archive/format';

/** The app runs in the root of its repository. */
export const MIGRATIONS = path.join('prisma', 'migrations');
const SCRIPT = 'migration.sql';
const LOCK_FILE = 'migration_lock.toml';
const PRISMA = path.join('node_modules', 'prisma', 'build', 'index.js');

/** Of what Prisma reports. */
export class MigrationError extends BackupError {
  override name = 'MigrationError';
}

type Migrations = Header['migrations'];

/** Those of this version of Postroom, with the sums that Prisma records. */
export async function readMigrations(folder = MIGRATIONS): Promise<Migrations> {
  const entries = await readdir(/*turbopackIgnore: true*/ folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names.toSorted().map(async (name) => {
      const script = await readFile(path.join(/*turbopackIgnore: true*/ folder, name, SCRIPT));
      return { name, checksum: createHash('sha256').update(script).digest('hex') };
    }),
  );
}

/**
 * Applies migrations as a start of Postroom does.
 * @param only those with these names, of the ones in the folder
 */
export async function migrateTo(
  databaseUrl: string,
  { folder = MIGRATIONS, only, signal }: { folder?: string; only?: readonly string[]; signal?: AbortSignal },
): Promise<void> {
  if (!only) return deploy(databaseUrl, path.resolve(/*turbopackIgnore: true*/ folder), signal);
  const chosen = await mkdtemp(path.join(tmpdir(), 'postroom-migrations-'));
  try {
    for (const name of [...only, LOCK_FILE])
      await cp(path.join(/*turbopackIgnore: true*/ folder, name), path.join(/*turbopackIgnore: true*/ chosen, name), {
        recursive: true,
      });
    await deploy(databaseUrl, chosen, signal);
  } finally {
    await rm(chosen, { recursive: true, force: true });
  }
}

function deploy(databaseUrl: string, folder: string, signal?: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [PRISMA, 'migrate', 'deploy'], {
    env: { ...process.env, DATABASE_URL: databaseUrl, MIGRATIONS_FOLDER: folder, CHECKPOINT_DISABLE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(signal?.aborted ? signal.reason : error));
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new MigrationError(`The migrations can’t be applied:\n${output.trim()}`)),
    );
  });
}
