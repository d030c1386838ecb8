import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../operations/run-command';
import { BackupFailure } from '../restic';

const TIMEOUT_MS = 60 * 60_000;
const REAL_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Opens a folder below another one. The owner of the mail could put a symlink anywhere in its tree, and what root changes
 * by name would be another file: so each part of the path is opened below the one before.
 * @throws BackupFailure if a part is a symlink; ENOENT
 */
export async function openFolder(root: string, path: string): Promise<FileHandle> {
  let handle = await openReal(root, root);
  let shown = root;
  for (const name of path.split('/')) {
    const parent = handle;
    shown = join(shown, name);
    handle = await openReal(entryOf(parent, name), shown).finally(() => parent.close());
  }
  return handle;
}

/** The path of an entry in an open folder, wherever that was moved. */
export const entryOf = (folder: FileHandle, name: string) => `/proc/self/fd/${folder.fd}/${name}`;

async function openReal(path: string, shown: string): Promise<FileHandle> {
  try {
    return await open(path, REAL_FOLDER);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP' || code === 'ENOTDIR') throw notReal(shown);
    throw error;
  }
}

/**
 * Runs a program with nothing but the rights of the mail's owner. It starts in `cwd`, which root can enter.
 * @returns what it printed
 * @throws BackupFailure
 */
export async function runAsOwner(uid: number, command: string[], cwd?: string): Promise<string[]> {
  const args = ['--reuid', String(uid), '--regid', String(uid), '--clear-groups', '--', ...command];
  const { exitCode, lines } = await runCommand({ file: 'setpriv', args, cwd, withinMs: TIMEOUT_MS });
  if (exitCode !== 0)
    throw new BackupFailure(
      'other',
      `The folder of the mail couldn’t be changed: ${lines.at(-1) ?? command[0]}.`,
      lines,
    );
  return lines;
}

/** Dovecot shows a mailbox without the messages that it can't read. @throws BackupFailure that names the first file or folder */
export async function requireUsable(uid: number, folder: string): Promise<void> {
  const unusable = ['!', '-readable', '-o', '-type', 'd', '!', '-writable', '-o', '-type', 'd', '!', '-executable'];
  const [path] = await runAsOwner(uid, ['find', folder, '(', ...unusable, ')', '-printf', '%P\\n', '-quit']);
  if (path !== undefined)
    throw new BackupFailure(
      'other',
      `Dovecot can’t use ${join('mail', path)} in the folder of the mailbox. Give it to the owner of the mail, then try again.`,
    );
}

/** Makes a folder that nobody but root can enter. @throws BackupFailure if someone else could have made it */
export async function makeRootFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const found = await lstat(path);
  if (!found.isDirectory()) throw notReal(path);
  if (found.uid !== process.getuid?.() || found.mode & 0o077)
    throw new BackupFailure('other', `${path} must belong to root, with mode 0700. Correct it, then try again.`);
}

function notReal(path: string): BackupFailure {
  return new BackupFailure(
    'other',
    `${path} isn’t a real folder, but a symlink or a file. Put the folder itself there, or mount it.`,
  );
}
