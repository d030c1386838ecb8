import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { MailService } from '@/lib/mail/operations';

export type ServiceChange = { service: MailService; how: 'reload' | 'restart' };

/**
 * The changes that an operation is about to make, so that the next agent can undo them if this one is killed meanwhile: the files go
 * back to their former state, and the services run.
 */
export type Journal = {
  operationId: string;
  services: ServiceChange[];
  /** Each is kept in the folder `former`, unless it is created. */
  files: { path: string; isCreated: boolean }[];
  /** The settings file, whose former text is restored as well if the operation has changed it. */
  settings?: string;
};

/** A folder of the configuration, on its file system, for the time of an operation. Only root can read it. */
export const workFolder = (config: string) => join(config, '.operation');

/** The settings file as it was before the operation, as long as there is no journal. */
export const formerSettings = (settings: string) => `${settings}.former`;

/** The same while there is a journal. Without one, the operation is complete, and the file is a remainder. */
const journaledSettings = (settings: string) => `${settings}.journaled`;

const journalFile = (config: string) => join(workFolder(config), 'journal.json');
const formerFile = (config: string, path: string) => join(workFolder(config), 'former', path);

/** Keeps the former files and writes the journal. From now on, a crash undoes the operation. */
export async function beginChange(config: string, journal: Journal): Promise<void> {
  await rm(workFolder(config), { recursive: true, force: true });
  if (journal.settings) await rm(journaledSettings(journal.settings), { force: true });
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
  const { settings } = journal;
  if (settings) await rename(formerSettings(settings), journaledSettings(settings)).catch(unlessMissing);
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
export async function restoreFormer(config: string, { files, settings }: Journal): Promise<void> {
  // The agent may have been killed before the copy got its second name.
  if (settings) {
    await restoreSettings(settings);
    await putBack(journaledSettings(settings), settings);
  }
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

/** Takes back settings that were written before the journal was. */
export async function restoreSettings(settings: string): Promise<void> {
  await putBack(formerSettings(settings), settings);
}

async function putBack(former: string, current: string): Promise<void> {
  await rename(former, current).catch(unlessMissing);
  // rename() does nothing if both names are the same file.
  await rm(former, { force: true });
}

/** Ends the change: a crash undoes nothing any more. */
export async function endChange(config: string, settings: string): Promise<void> {
  await rm(journalFile(config), { force: true });
  await rm(journaledSettings(settings), { force: true });
  await rm(workFolder(config), { recursive: true, force: true });
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
