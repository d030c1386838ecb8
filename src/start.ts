import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { handlerAt, observeRequest } from '@/api';
import { deleteOldSends, raiseSpikeAlerts } from '@/modules/abuse/spikes';
import { forgetAlertEmails, sendAlertEmails } from '@/modules/alerts/emails/send';
import { foldAnalytics } from '@/modules/analytics/counting/fold';
import { openAuditAnchor, setAuditAnchor } from '@/modules/audit/anchor/anchor';
import { ARCHIVE_FOLDER, archiveAuditEntries } from '@/modules/audit/archive';
import { sealAuditEntries } from '@/modules/audit/seal';
import { signAgain } from '@/modules/audit/sign-again';
import { deleteOldFailures } from '@/modules/auth/attempt-delay';
import { deleteOldDevices } from '@/modules/auth/sessions/device';
import { deleteExpiredSessions } from '@/modules/auth/sessions/session';
import { prepareFirstAdmin } from '@/modules/auth/setup/setup';
import { deleteExpiredTotpSessions } from '@/modules/auth/totp/pending';
import { interruptExpired as interruptBackups } from '@/modules/backups/operations/lease';
import { deleteOldBackupRecords } from '@/modules/backups/operations/retention';
import { stopOperations } from '@/modules/backups/operations/run';
import { reconcileBackups } from '@/modules/backups/records/reconcile';
import { runSchedule } from '@/modules/backups/schedule/run';
import { joinCluster } from '@/modules/cluster/heartbeat';
import { createMissingDkimKeys } from '@/modules/domains/dkim/missing';
import { dnsServers } from '@/modules/domains/dns/checking/facts';
import { checkDueDomains } from '@/modules/domains/dns/schedule';
import { publishedAt } from '@/modules/domains/published/handler';
import { deleteOldEvents } from '@/modules/events/retention';
import { sequenceEvents } from '@/modules/events/sequence';
import { publishOwnPlan } from '@/modules/mail-backups/publish';
import { checkContentStore, contentSettled } from '@/modules/messages/content/keeping/keep';
import { cleanUpContent } from '@/modules/messages/content/retention/clean-up';
import { deleteOldMessages } from '@/modules/messages/retention/run';
import { interruptExpired } from '@/modules/orchestrator/lease';
import { deleteOldOperations } from '@/modules/orchestrator/retention';
import { lookUpHosts } from '@/modules/reports/hosts';
import { deleteOldReports } from '@/modules/reports/storing/retention';
import { settleAbandonedMessages } from '@/modules/sending/service';
import { deleteOldKeys } from '@/modules/sending/submission/idempotency';
import { outboundMta } from '@/modules/sending/submission/mta';
import { onChecksRequested } from '@/modules/system/health/check-now';
import { sendOutsideHeartbeat } from '@/modules/system/health/outside-heartbeat';
import { runHealthChecks } from '@/modules/system/health/run';
import { deliverer } from '@/modules/webhooks/delivery/process';
import { type RepeatingTask, repeat as repeatAlways } from '@/server/background/repeat';
import { systemClock } from '@/server/clock';
import { thisNode } from '@/server/cluster/this-node';
import { database } from '@/server/db';
import { writeCountedAttempts } from '@/server/denied-attempts';
import { serveHttp } from '@/server/http/http-server';
import type { Refusal } from '@/server/http/refusal';
import type { RequestCount } from '@/server/http/request-count';
import { addressRefusal, countRequest, prepareLimits } from '@/server/limits/rate-limit';
import { log } from '@/server/log';
import { countTask, startProcessMetrics } from '@/server/metrics/metrics';
import { followReplica } from '@/server/replica/reads';
import { resealStoredSecrets } from '@/server/secrets/reseal';
import { env } from '@/server/settings/env';
import { applySavedSettings, followSavedSettings } from '@/server/settings/saved';

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

/** The interface between the HTTP server's process (scripts/serve.mjs) and the app. */
export type App = {
  /** Where the first admin is created. Null if there is one. */
  setupLink: string | null;
  /** Serves what `server` receives. `servePage` is Next.js. In development Next.js serves the API too, to reload it. */
  serve(server: Server, options: { servePage: PageHandler; isDev: boolean }): void;
  /** Finishes the requests and webhook deliveries in flight, and starts no more. */
  close(): Promise<void>;
};

type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Prepares an instance before it serves. @throws for a wrong configuration, so that it never starts halfway */
export async function start(): Promise<App> {
  if (env().metricsToken) startProcessMetrics();
  await applySavedSettings(database());
  const stopFollowing = followSavedSettings(database());
  const stopReplica = await followReplica();
  const setupLink = await prepareFirstAdmin();
  await outboundMta();
  await prepareLimits();
  const leaveCluster = await joinCluster(database(), ['web', 'worker']);
  repeatAlways('checking the content store', CONTENT_STORE_INTERVAL_MS, () =>
    checkContentStore(database(), systemClock.now()),
  ).runNow();
  void cleanUp();
  repeat('cleaning up', CLEANUP_INTERVAL_MS, cleanUp);
  // Soon after each entry, because unsealed entries could be changed unnoticed.
  const anchor = setAuditAnchor(openAuditAnchor(env().dataDir, systemClock));
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
  const stopDelivering = startDelivering();
  let closeHttp: (() => Promise<void>) | undefined;
  return {
    setupLink,
    serve(server, { servePage, isDev }) {
      const { appUrl, trustedProxies } = env();
      const apiAt = isDev ? () => undefined : handlerAt;
      const observe = observeRequest;
      const options = {
        appUrl,
        trustedProxies,
        isDev,
        apiAt,
        publishedAt,
        servePage,
        countRequest,
        refusalOf,
        observe,
      };
      closeHttp = serveHttp(server, options);
    },
    close: async () => {
      stopFollowing();
      await Promise.all([closeHttp?.(), stopDelivering(), alertEmails.end(), stopOperations(), sealing.end()]);
      // What the last requests wrote would be unsealed until the next start.
      await sealAuditEntries(database(), anchor).catch((error) => log.error({ error }, 'the last sealing failed'));
      await anchor.end();
      await contentSettled();
      await Promise.all([leaveCluster(), stopReplica(), stopHearing()]);
    },
  };
}

/** Background work, which an instance that is draining leaves to the others. */
function repeat(name: string, intervalMs: number, task: () => Promise<unknown>): RepeatingTask {
  return repeatAlways(name, intervalMs, async () => {
    if (!thisNode().isDraining) await task();
  });
}

function refusalOf(count: RequestCount): Refusal | null {
  const error = addressRefusal(count);
  return error && { status: error.status, code: error.apiCode, message: error.message, headers: error.headers };
}

/** Delivers what is due without a scheduler: retries, leftovers of other processes, and missed notifications. */
function startDelivering(): () => Promise<void> {
  const { kick, stop } = deliverer();
  setInterval(kick, DELIVERY_INTERVAL_MS).unref();
  return stop;
}

/** Every instance runs this; running it twice is harmless. */
async function cleanUp(): Promise<void> {
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
  for (const [name, task] of Object.entries(tasks)) {
    await countTask(name, task).catch((error) => log.error({ error, task: name }, 'cleanup failed'));
  }
}
