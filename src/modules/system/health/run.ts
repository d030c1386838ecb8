import { type Finding, measured, within } from '@/lib/health/finding';
import { checkAlertEmails } from '@/modules/alerts/service';
import { checkAuditAnchor } from '@/modules/audit/service';
import { checkBackups } from '@/modules/backups/service';
import { checkMailBackups } from '@/modules/mail-backups/service';
import { checkScheduled, checkSubmission } from '@/modules/sending/service';
import { type FailureLog, failureLog } from '@/server/background/failures';
import type { TaskContext } from '@/server/background/task';
import { instanceName, thisNode } from '@/server/cluster/this-node';
import type { Database } from '@/server/database/db';
import { checkRedis } from '@/server/limits/rate-limit';
import { checkDisk, checkMemory } from '@/server/machine';
import { checkReplica } from '@/server/replica/reads';
import { env } from '@/server/settings/env';
import { checkDatabase } from './database';
import { checkOutsideHeartbeat } from './outside-heartbeat';
import { forgetUnset, recordFindings, updateAlerts } from './record';
import { checkTasks } from './scheduled-tasks';
import { checkWork } from './work';

/** Longer than any check takes that ends by itself. */
const CHECK_TIMEOUT_MS = 10_000;

const failuresOfInstance = failureLog('a health check of this instance');
const failuresOfSystem = failureLog('a health check of the whole system');

/** Checks this instance’s machine and what it depends on. */
export function checkInstance({ db }: TaskContext): Promise<void> {
  const checks = [
    checkDisk(['disk', 'inodes'], env().dataDir).then(({ findings }) => findings),
    checkMemory().then((memory) => [memory]),
    checkClock(db, instanceName()),
    checkRedis(instanceName()),
    Promise.resolve(checkReplica()),
    Promise.resolve(checkAuditAnchor()),
  ];
  return recordChecks(db, failuresOfInstance, checks, instanceName());
}

/** Checks the system as a whole, and updates the alerts of all checks. */
export async function checkSystem({ db, clock }: TaskContext): Promise<void> {
  await recordChecks(db, failuresOfSystem, [
    checkDatabase(db),
    checkWork(db),
    checkTasks(db),
    checkAlertEmails(db),
    checkScheduled(db),
    checkOutsideHeartbeat(db),
    checkSubmission(),
    checkBackups(db, clock.now()),
    checkMailBackups(db),
  ]);
  await updateAlerts(db, clock.now());
}

/** One check that fails or hangs leaves the others alone. */
async function recordChecks(
  db: Database,
  failures: FailureLog,
  checks: Promise<Finding[]>[],
  instance?: string,
): Promise<void> {
  const results = await Promise.allSettled(checks.map((check) => within(check, CHECK_TIMEOUT_MS)));
  const problems = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  for (const problem of problems) failures.failed(problem);
  await recordFindings(db, found);
  if (problems.length > 0) return;
  failures.succeeded();
  await forgetUnset(db, found, instance);
}

/** How far this process's clock is from the database's, by its last heartbeat. */
export async function checkClock(db: Database, subject: string): Promise<Finding[]> {
  const node = await db.clusterNode.findUnique({ where: { id: thisNode().id }, select: { clockAheadMs: true } });
  return node ? [measured('clock', Math.abs(node.clockAheadMs) / 1000, subject)] : [];
}
