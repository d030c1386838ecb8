import type { Redis } from 'ioredis';
import { resetHostFiles } from '@/mail/agent/backup/host-files';
import { recoverRestores } from '@/mail/agent/backup/mailbox/work';
import { createBackupPerform } from '@/mail/agent/backup/perform';
import { createRestoreCompletion } from '@/mail/agent/backup/resync';
import type { Installation } from '@/mail/agent/installation';
import { backupRecords } from '@/modules/mail-backups/records';
import { startDueBackup } from '@/modules/mail-backups/schedule';
import { AGENT_CHANNEL } from '@/modules/mail-server/requests';
import { interruptAbandoned } from '@/modules/services/lease';
import { createOperationRunner } from '@/modules/services/run';
import type { Task } from '@/server/background/task';
import { systemClock } from '@/server/clock';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';

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

/** Returns the tasks that back up mail as planned, and run what admins ask for, beside the operations on services. */
export async function prepareBackups({ db, host, read, redis, retryMail }: Parts) {
  const perform = createBackupPerform({ read, records: backupRecords(db, host), redis, retryMail }, onNotUndone);
  const runner = createOperationRunner({ db, clock: systemClock, host, lane: 'mail_backup', perform }, () => {});

  const completeRestore = createRestoreCompletion();
  await recoverRestores(read(), onNotUndone);
  await resetHostFiles(read(), redis);
  await interruptAbandoned(db, systemClock, { host, lane: 'mail_backup' }, INTERRUPTED);
  const tasks: Task[] = [
    {
      name: 'running operations on backups',
      on: 'every instance',
      everySeconds: 1,
      wokenBy: AGENT_CHANNEL,
      run: runner.runPending,
    },
    {
      name: 'starting backups of mail',
      on: 'every instance',
      everySeconds: 10,
      run: () => startDueBackup(db, systemClock, host),
    },
    {
      name: 'completing a restore of all mail',
      on: 'every instance',
      everySeconds: 1,
      async run() {
        const count = await completeRestore(read());
        if (count > 0) log.info({ count }, 'made the indexes of restored mailboxes match their messages');
      },
    },
  ];
  return { tasks, stop: runner.stop };
}
