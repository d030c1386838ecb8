import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { MailService } from '@/lib/mail/operations';

export type ServiceChange = { service: MailService; how: 'reload' | 'restart' };

/**
 * What an operation is about to change, so that the next agent can undo it if this one is killed meanwhile: the files go
 * back to their former state, and the services run.
 */
export type Journal = {
  operationId: string;
  services: ServiceChange[];
  /** Each is kept in the folder `former`, unless it is created. */
  files: { path: string; isCreated: boolean }[];
};

/** A folder of the configuration, on its file system, for the time of an operation. Only root can read it. */
export const workFolder = (config: string) => join(config, '.operation');

const journalFile = (config: string) => join(workFolder(config), 'journal.json');
const formerFile = (config: string, path: string) => join(workFolder(config), 'former', path);

/** Keeps the former files and writes the journal. From now on, a crash undoes the operation. */
export async function beginChange(config: string, journal: Journal): Promise<void> {
  await rm(workFolder(config), { recursive: true, force: true });
  await mkdir(workFolder(config), { recursive: true, mode: 0o700 });
  for (const { path, isCreated } of journal.files) {
    if (isCreated) continue;
    const former = formerFile(config, path);
    await mkdir(dirname(former), { recursive: true, mode: 0o700 });
    // The file itself, which a later rename doesn't change.
    await link(join(config, path), former);
  }
  const temporary = `${journalFile(config)}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(journal));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, journalFile(config));
}

/** The change of an operation that wasn't completed; null if there is none. */
export async function readJournal(config: string): Promise<Journal | null> {
  try {
    return JSON.parse(await readFile(journalFile(config), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Puts the former files back. It can be repeated after a crash. */
export async function restoreFormer(config: string, { files }: Journal): Promise<void> {
  for (const { path, isCreated } of files) {
    const current = join(config, path);
    if (isCreated) {
      await rm(current, { force: true });
      continue;
    }
    const temporary = `${current}.new`;
    await rm(temporary, { force: true });
    await link(formerFile(config, path), temporary);
    await rename(temporary, current);
    // rename() does nothing if both names are the same file.
    await rm(temporary, { force: true });
  }
}

/** Ends the change: a crash undoes nothing any more. */
export async function endChange(config: string): Promise<void> {
  await rm(journalFile(config), { force: true });
  await rm(workFolder(config), { recursive: true, force: true });
}
