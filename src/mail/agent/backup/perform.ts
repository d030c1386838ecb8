import type { MAIL_BACKUP_OPERATIONS } from '@/lib/mail/operations';
import { hideSecrets } from '../configuration/show-diff';
import type { Operation, Outcome, Perform, Run } from '../operations/operation';
import { type BackupParts, backUpMail } from './back-up';
import { checkMailBackups } from './check';
import { restoreMailbox } from './mailbox/restore';
import { type RecoveryFailed, recoverRestores } from './mailbox/work';

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
