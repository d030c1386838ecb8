import { sendAlertEmails } from '@/modules/alerts/emails/send';
import { foldAnalytics } from '@/modules/analytics/counting/fold';
import type { AuditAnchor } from '@/modules/audit/anchor/anchor';
import { sealAuditEntries } from '@/modules/audit/seal';
import { interruptExpired as interruptBackups } from '@/modules/backups/operations/lease';
import { reconcileBackups } from '@/modules/backups/records/reconcile';
import { runSchedule } from '@/modules/backups/schedule/run';
import { dnsServers } from '@/modules/domains/dns/checking/facts';
import { checkDueDomains } from '@/modules/domains/dns/schedule';
import { sequenceEvents } from '@/modules/events/sequence';
import { publishOwnPlan } from '@/modules/mail-backups/publish';
import { checkContentStore } from '@/modules/messages/content/keeping/keep';
import { deleteOldMessages } from '@/modules/messages/retention/run';
import { interruptExpired } from '@/modules/orchestrator/lease';
import { lookUpHosts } from '@/modules/reports/hosts';
import { onChecksRequested } from '@/modules/system/health/check-now';
import { sendOutsideHeartbeat } from '@/modules/system/health/outside-heartbeat';
import { runHealthChecks } from '@/modules/system/health/run';
import { deliverer } from '@/modules/webhooks/delivery/process';
import { type RepeatingTask, repeat as repeatAlways } from '@/server/background/repeat';
import { systemClock } from '@/server/clock';
import { thisNode } from '@/server/cluster/this-node';
import { database } from '@/server/db';
import { writeCountedAttempts } from '@/server/denied-attempts';
import { env } from '@/server/settings/env';
import { cleanUps } from './clean-up';

const CLEANUP_INTERVAL_MS = 5 * 60 * 1000;
const SEAL_INTERVAL_MS = 2_000;
const DENIALS_INTERVAL_MS = 10_000;
const RETENTION_INTERVAL_MS = 60_000;
const DNS_INTERVAL_MS = 60_000;
const HOST_NAMES_INTERVAL_MS = 30_000;
const SEQUENCE_INTERVAL_MS = 1_000;
const CONTENT_STORE_INTERVAL_MS = 60_000;
const FOLD_INTERVAL_MS = 1_000;
const HEALTH_INTERVAL_MS = 15_000;
const ALERT_EMAILS_INTERVAL_MS = 5_000;
const HEARTBEAT_INTERVAL_MS = 5_000;
const DELIVERY_INTERVAL_MS = 500;
const OPERATIONS_INTERVAL_MS = 5_000;
const MAIL_BACKUP_PLAN_INTERVAL_MS = 10_000;
const BACKUPS_INTERVAL_MS = 60_000;

/**
 * Starts what runs at intervals, on each instance.
 * @returns a function that ends what must not be interrupted
 */
export function startBackgroundTasks(anchor: AuditAnchor): () => Promise<void> {
  repeatAlways('checking the content store', CONTENT_STORE_INTERVAL_MS, () =>
    checkContentStore(database(), systemClock.now()),
  ).runNow();
  repeat('cleaning up', CLEANUP_INTERVAL_MS, cleanUps()).runNow();
  // Soon after each entry, because unsealed entries could be changed unnoticed.
  const sealing = repeat('sealing the audit log', SEAL_INTERVAL_MS, () => sealAuditEntries(database(), anchor));
  repeat('recording repeated denials', DENIALS_INTERVAL_MS, () => writeCountedAttempts(database(), systemClock.now()));
  repeat('ordering events', SEQUENCE_INTERVAL_MS, () => sequenceEvents(database()));
  repeat('adding up statistics', FOLD_INTERVAL_MS, () => foldAnalytics(database()));
  repeat('checking DNS', DNS_INTERVAL_MS, () => checkDueDomains(database(), systemClock));
  repeat('looking up host names', HOST_NAMES_INTERVAL_MS, () => lookUpHosts(database(), dnsServers(), systemClock));
  // Apart from the other cleanups, because the first run takes an hour with millions of messages.
  repeat('deleting old messages', RETENTION_INTERVAL_MS, () => {
    const { messageRetentionDays: keptDays } = env();
    const isWanted = () => env().messageRetentionDays === keptDays && !thisNode().isDraining;
    return deleteOldMessages(database(), { now: systemClock.now(), keptDays, isWanted });
  });
  repeat('ending interrupted operations', OPERATIONS_INTERVAL_MS, () =>
    database().$transaction(async (tx) => {
      await interruptExpired(tx, systemClock);
      await interruptBackups(tx, systemClock);
    }),
  );
  repeat('making backups', BACKUPS_INTERVAL_MS, () => runSchedule(database(), systemClock)).runNow();
  repeat('planning backups of mail', MAIL_BACKUP_PLAN_INTERVAL_MS, () => publishOwnPlan(database())).runNow();
  repeat('looking for backups', BACKUPS_INTERVAL_MS, () => reconcileBackups(database(), systemClock.now())).runNow();
  // Also while draining, since the machine is still there.
  const health = repeatAlways('checking health', HEALTH_INTERVAL_MS, () => runHealthChecks(database(), systemClock));
  health.runNow();
  const stopHearing = onChecksRequested(health.runNow);
  repeat('requesting HEARTBEAT_URL', HEARTBEAT_INTERVAL_MS, () => sendOutsideHeartbeat(database()));
  const alertEmails = repeat('emailing alerts', ALERT_EMAILS_INTERVAL_MS, () =>
    sendAlertEmails(database(), systemClock),
  );
  // Retries, leftovers of other processes, and missed notifications.
  setInterval(deliverer().kick, DELIVERY_INTERVAL_MS).unref();
  return async () => {
    await Promise.all([alertEmails.end(), sealing.end(), stopHearing()]);
  };
}

/** Background work, which an instance that is draining leaves to the others. */
function repeat(name: string, intervalMs: number, task: () => Promise<unknown>): RepeatingTask {
  return repeatAlways(name, intervalMs, async () => {
    if (!thisNode().isDraining) await task();
  });
}
