import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { runCommand } from '../operations/run-command';
import type { MailBackupPlan } from './plan';
import { BackupFailure, type Repository, runRestic } from './restic';

/** In the folder or bucket that the archives of the database go to. */
const SUBFOLDER = 'mail';
const AWS = 'https://s3.amazonaws.com';
const CONNECT_TIMEOUT_MS = 5_000;
const FOLDER_TIMEOUT_MS = 30_000;
/** Progress every ten seconds. */
const FRAMES_PER_SECOND = '0.1';

/** Folder of the mail server with what belongs to its backups. Only root can read it. */
export const backupFolder = (data: string) => join(data, 'backups');

export function repositoryOf({ target, password, credentials }: MailBackupPlan, data: string): Repository {
  const chosen = target ?? { kind: 'default' as const, folder: backupFolder(data) };
  const location =
    chosen.kind === 's3'
      ? `s3:${[chosen.endpoint ?? AWS, chosen.bucket, chosen.prefix, SUBFOLDER].filter(Boolean).join('/')}`
      : join(chosen.folder, SUBFOLDER);
  return {
    location,
    target: chosen,
    options: chosen.kind === 's3' && chosen.style === 'virtual' ? ['-o', 's3.bucket-lookup=dns'] : [],
    env: {
      RESTIC_REPOSITORY: location,
      RESTIC_PASSWORD: password,
      RESTIC_CACHE_DIR: join(backupFolder(data), 'cache'),
      RESTIC_PROGRESS_FPS: FRAMES_PER_SECOND,
      ...(chosen.kind === 's3' && {
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
        AWS_DEFAULT_REGION: chosen.region,
      }),
    },
  };
}

/**
 * Makes sure that restic can work in the repository.
 * @param makes whether the first one is made
 * @param known where the repository was when it was last used: a new one there would hide that the disk isn't mounted
 * @throws BackupFailure
 */
export async function openRepository(
  repository: Repository,
  { known, signal, makes = false }: { known: string | null; signal: AbortSignal; makes?: boolean },
): Promise<void> {
  await requireTarget(repository);
  try {
    await runRestic(repository, ['cat', 'config'], { signal });
  } catch (error) {
    if (!(error instanceof BackupFailure) || error.kind !== 'missing') throw error;
    // The default one is in DATA_DIR itself, where nothing can be unmounted alone.
    if (known === repository.location && repository.target.kind !== 'default') throw gone(repository.location);
    if (!makes) throw error;
    await runRestic(repository, ['init'], { signal });
  }
}

/** @throws BackupFailure for a folder that isn't there, or storage that can't be reached, which restic tries for minutes */
async function requireTarget({ target, location }: Repository): Promise<void> {
  if (target.kind === 'default') return void (await mkdir(target.folder, { recursive: true, mode: 0o700 }));
  if (target.kind === 'file') {
    if (!(await isFolder(target.folder)))
      throw new BackupFailure('missing', `There is no folder ${target.folder} on this host. Make or mount it.`);
    return;
  }
  const { hostname, port, protocol } = new URL(target.endpoint ?? AWS);
  await reach(hostname, Number(port) || (protocol === 'http:' ? 80 : 443)).catch((error: Error) => {
    throw new BackupFailure('other', `${location.replace(/^s3:/, '')} can’t be reached: ${error.message}.`);
  });
}

/** Asked by a process that can be killed, because a network disk that is away doesn't answer. @throws BackupFailure */
async function isFolder(path: string): Promise<boolean> {
  const asked = runCommand({ file: 'test', args: ['-d', path], withinMs: FOLDER_TIMEOUT_MS });
  const { exitCode } = await asked.catch(() => {
    throw new BackupFailure('other', `The folder ${path} doesn’t answer. Check its disk, then try again.`);
  });
  return exitCode === 0;
}

async function reach(host: string, port: number): Promise<void> {
  const socket = connect({ host, port });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => reject(new Error('no answer within 5 seconds')));
  }).finally(() => socket.destroy());
}

function gone(location: string): BackupFailure {
  return new BackupFailure(
    'missing',
    `The repository is gone from ${location}. Mount its disk or bring it back. To begin a new one, choose another BACKUP_TARGET.`,
  );
}
