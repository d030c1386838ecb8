import { type MAIL_BACKUP_OPERATIONS, REPOSITORY_DAMAGED } from '@/lib/mail/operations';
import { hideSecrets } from '../configuration/show-diff';
import type { Operation, Outcome, Perform, Run } from '../operations/operation';
import { type BackupParts, backUpMail, requirePlan } from './back-up';
import { restoreMailbox } from './mailbox/restore';
import { type RecoveryFailed, recoverRestores } from './mailbox/work';
import { openRepository, repositoryOf } from './repository';
import { BackupFailure, runRestic } from './restic';

type Action = (parts: BackupParts, run: Run, operation: Operation) => Promise<Outcome>;

const ACTIONS: Record<(typeof MAIL_BACKUP_OPERATIONS)[number], Action> = {
  backup_mail: backUpMail,
  restore_mail: restoreMailbox,
  check_mail: checkMailBackups,
};

/** Performs the operations on backups, and keeps their secrets out of what they report. */
export function createBackupPerform(parts: Omit<BackupParts, 'hide'>, onNotUndone: RecoveryFailed): Perform {
  return async (operation, { report, signal }) => {
    const secrets = new Set<string>();
    const hide = (more: string[]) => {
      for (const secret of more) secrets.add(secret);
    };
    const { action } = operation;
    // It comes from the database.
    if (!Object.hasOwn(ACTIONS, action)) throw new Error('Unknown action.');
    await recoverRestores(parts.read(), onNotUndone);
    const run: Run = { signal, report: (kind, text) => report(kind, hideSecrets(text, secrets)) };
    const outcome = await ACTIONS[action as keyof typeof ACTIONS]({ ...parts, hide }, run, operation);
    return { ...outcome, message: hideSecrets(outcome.message, secrets) };
  };
}

/** Each check reads another part of the data, so that ten of them have read all of it. */
const PARTS = 10;
const WEEK_MS = 7 * 86_400_000;
const MAX_NAMED = 20;

/** Checks the structure of the repository, and reads a part of its data. */
async function checkMailBackups(parts: BackupParts, { report, signal }: Run): Promise<Outcome> {
  try {
    const plan = await requirePlan(parts);
    const repository = repositoryOf(plan, parts.read().data);
    await openRepository(repository, { known: await parts.records.knownRepository(), signal });
    const part = (Math.floor(Date.now() / WEEK_MS) % PARTS) + 1;
    report('step', `Checking the repository in ${repository.location}`);
    const onLine = (line: string) => line.trim() && report('output', line);
    // First without data, which restic tries to read for minutes if it is damaged.
    await runRestic(repository, ['check'], { signal, onLine });
    await runRestic(repository, ['check', `--read-data-subset=${part}/${PARTS}`], { signal, onLine });
    await parts.records.saveCheck('');
    return { state: 'succeeded', message: `No errors were found. Part ${part} of ${PARTS} of the data was read.` };
  } catch (error) {
    if (!(error instanceof BackupFailure)) throw error;
    if (error.kind === 'stopped') return { state: 'interrupted', message: error.message };
    for (const line of error.lines.slice(0, MAX_NAMED)) report('error', line);
    const isDamaged = error.kind === 'other' && error.lines.some((line) => /contains errors/.test(line));
    const message = isDamaged ? REPOSITORY_DAMAGED : error.message;
    await parts.records.saveCheck(message);
    return { state: 'failed', message };
  }
}
