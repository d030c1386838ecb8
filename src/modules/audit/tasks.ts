import { join } from 'node:path';
import { cleanUp, type Task } from '@/server/background/task';
import { env } from '@/server/settings/env';
import { auditAnchor } from './anchor/anchor';
import { ARCHIVE_FOLDER, archiveAuditEntries } from './archive';
import { sealAuditEntries } from './seal';
import { signAgain } from './sign-again';

export const auditTasks: Task[] = [
  // Soon after each entry, because unsealed entries could be changed unnoticed.
  {
    name: 'sealing the audit log',
    on: 'every instance',
    everySeconds: 2,
    isAwaited: true,
    run: ({ db }) => sealAuditEntries(db, auditAnchor()),
  },
  {
    name: 'signing the audit log again',
    on: 'every instance',
    everySeconds: 300,
    run: ({ db }) => signAgain((sql, values) => db.$queryRawUnsafe(sql, ...values)),
  },
  cleanUp('archiving old audit entries', ({ db, clock }) =>
    archiveAuditEntries(db, {
      dir: join(env().dataDir, ARCHIVE_FOLDER),
      keptDays: env().auditRetentionDays,
      now: clock.now(),
    }),
  ),
];
