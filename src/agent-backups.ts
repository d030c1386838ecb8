import type { Redis } from 'ioredis';
import { recoverRestores } from '@/mail/agent/backup/mailbox/work';
import { createBackupPerform } from '@/mail/agent/backup/perform';
import { createRestoreCompletion } from '@/mail/agent/backup/resync';
import type { Installation } from '@/mail/agent/installation';
import { backupRecords } from '@/modules/mail-backups/records';
import { startDueBackup } from '@/modules/mail-backups/schedule';
import { interruptAbandoned } from '@/modules/orchestrator/lease';
import { createOperationRunner } from '@/modules/orchestrator/run';
import { repeat } from '@/server/background/repeat';
import { systemClock } from '@/server/clock';
import type { Database } from '@/server/db';
import { log } from '@/server/log';

// A notification triggers this too.
const OPERATION_INTERVAL_MS = 1_000;
const SCHEDULE_INTERVAL_MS = 10_000;
const COMPLETION_INTERVAL_MS = 1_000;

/** A snapshot is there only once it is finished, and a mailbox is replaced at once. */
const INTERRUPTED =
  'The mail agent was stopped while it ran this. It left no unfinished snapshot, and no mailbox was changed halfway.';

type Parts = {
  db: Database;
  host: string;
  read: () => Installation;
  /** The mail server's. */
  redis: Redis;
  /** Delivers what waits for mailboxes. */
  retryMail: () => Promise<unknown>;
};

const onNotUndone = (error: unknown, folder: string) =>
  log.error({ error, folder }, 'cannot undo a restore that was interrupted');

/** Backs up mail as planned, and runs what admins ask for, beside the operations on services. */
export async function startBackups({ db, host, read, redis, retryMail }: Parts) {
  const perform = createBackupPerform({ read, records: backupRecords(db, host), redis, retryMail }, onNotUndone);
  const runner = createOperationRunner({ db, clock: systemClock, host, lane: 'mail_backup', perform }, () => {});

  const completeRestore = createRestoreCompletion();
  await recoverRestores(read(), onNotUndone);
  await interruptAbandoned(db, systemClock, { host, lane: 'mail_backup' }, INTERRUPTED);
  const operationTask = repeat('running operations on backups', OPERATION_INTERVAL_MS, runner.runPending);
  const tasks = [
    operationTask,
    repeat('starting backups of mail', SCHEDULE_INTERVAL_MS, () => startDueBackup(db, systemClock, host)),
    repeat('completing a restore of all mail', COMPLETION_INTERVAL_MS, async () => {
      const count = await completeRestore(read());
      if (count > 0) log.info({ count }, 'made the indexes of restored mailboxes match their messages');
    }),
  ];
  return {
    operationTask,
    async end(): Promise<void> {
      runner.abort();
      await Promise.all(tasks.map((task) => task.end()));
    },
  };
}
