import { join } from 'node:path';
import { deleteOldSends, raiseSpikeAlerts } from '@/modules/abuse/spikes';
import { forgetAlertEmails } from '@/modules/alerts/emails/send';
import { ARCHIVE_FOLDER, archiveAuditEntries } from '@/modules/audit/archive';
import { signAgain } from '@/modules/audit/sign-again';
import { deleteOldFailures } from '@/modules/auth/attempt-delay';
import { deleteOldDevices } from '@/modules/auth/sessions/device';
import { deleteExpiredSessions } from '@/modules/auth/sessions/session';
import { deleteExpiredTotpSessions } from '@/modules/auth/totp/pending';
import { deleteOldBackupRecords } from '@/modules/backups/operations/retention';
import { createMissingDkimKeys } from '@/modules/domains/dkim/missing';
import { deleteOldEvents } from '@/modules/events/retention';
import { cleanUpContent } from '@/modules/messages/content/retention/clean-up';
import { deleteOldOperations } from '@/modules/orchestrator/retention';
import { deleteOldReports } from '@/modules/reports/storing/retention';
import { settleAbandonedMessages } from '@/modules/sending/service';
import { deleteOldKeys } from '@/modules/sending/submission/idempotency';
import { failureLog } from '@/server/background/failures';
import { systemClock } from '@/server/clock';
import { database } from '@/server/db';
import { countTask } from '@/server/metrics/metrics';
import { resealStoredSecrets } from '@/server/secrets/reseal';
import { env } from '@/server/settings/env';

/** Returns what every instance runs; running it twice is harmless. */
export function cleanUps(): () => Promise<void> {
  const db = database();
  const tasks = {
    're-encrypting stored secrets': () => resealStoredSecrets(db),
    'signing the audit log again': () => signAgain((sql, values) => db.$queryRawUnsafe(sql, ...values)),
    'settling abandoned messages': () => settleAbandonedMessages(db, systemClock.now()),
    'looking for volume spikes': () => raiseSpikeAlerts(db, systemClock.now()),
    'deleting old send counts': () => deleteOldSends(db, systemClock.now()),
    'deleting old events': () => deleteOldEvents(db, systemClock.now(), env().eventRetentionDays),
    'giving up on old alert emails': () => forgetAlertEmails(db),
    'deleting old reports': () => deleteOldReports(db, systemClock.now(), env().reportRetentionDays),
    'deleting old message content': () => cleanUpContent(db, systemClock.now()),
    'deleting old operations': () => deleteOldOperations(db),
    'deleting old records of backups': () => deleteOldBackupRecords(db),
    'archiving old audit entries': () =>
      archiveAuditEntries(db, {
        dir: join(env().dataDir, ARCHIVE_FOLDER),
        keptDays: env().auditRetentionDays,
        now: systemClock.now(),
      }),
    'deleting old idempotency keys': () => deleteOldKeys(db),
    'deleting expired sessions': () => deleteExpiredSessions(db, systemClock.now()),
    'deleting unfinished sign-ins': () => deleteExpiredTotpSessions(db, systemClock.now()),
    'deleting old devices': () => deleteOldDevices(db, systemClock.now()),
    'deleting old failed sign-ins': () => deleteOldFailures(db, systemClock.now()),
    // Last, because it takes minutes with a thousand domains.
    'creating missing DKIM keys': () => createMissingDkimKeys(db, systemClock.now()),
  };
  const all = Object.entries(tasks).map(([name, task]) => ({ name, task, failures: failureLog(name) }));
  return async () => {
    for (const { name, task, failures } of all) await countTask(name, task).then(failures.succeeded, failures.failed);
  };
}
