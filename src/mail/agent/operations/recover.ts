import { formatPlural } from '@/lib/format';
import { endChange, type Journal, readJournal, restoreFormer, restoreSettings } from '../configuration/journal';
import { readInstallation } from '../installation';
import type { ServiceControl } from '../services/control';
import type { Report } from './operation';
import { changeServices, namesOf } from './service-operations';

/**
 * Undoes the files and settings of an operation during which an agent was killed, before anything reads them. @returns what is left to
 * do for its services; null if there was none
 */
export async function recoverFiles(config: string): Promise<Journal | null> {
  const journal = await readJournal(config);
  if (journal) await restoreFormer(config, journal);
  const { settings } = readInstallation(config);
  await restoreSettings(settings);
  // A crash before or after the journal leaves copies.
  if (!journal) await endChange(config, settings);
  return journal;
}

/** Returns the message of an interrupted operation, which can't report it itself. */
export function explainRecovery(journal: Journal | null): string {
  const cause = 'The mail agent was stopped while it ran this.';
  if (!journal) return `${cause} No file was changed halfway.`;
  const files = journal.files.length > 0 ? ` It restored ${formatPlural(journal.files.length, 'former file')}.` : '';
  return `${cause}${files} It makes sure that ${namesOf(journal.services.map(({ service }) => service))} runs.`;
}

/** Makes sure that the services run with the files that are there, and ends the operation's change. */
export async function recoverServices(
  config: string,
  control: ServiceControl,
  { services, files }: Journal,
  report: Report,
): Promise<void> {
  for (const { service } of services) {
    await control.start(service).catch((error: Error) => report('error', error.message));
  }
  // Services that were restarted may have read files that are no longer there.
  const changes = files.length > 0 ? services : [];
  const failed = await changeServices(control, changes, report);
  if (failed.length > 0) report('error', `${namesOf(failed)} doesn’t respond. Its log is in DATA_DIR/log.`);
  await endChange(config, readInstallation(config).settings);
}
