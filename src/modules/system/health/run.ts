import { type Finding, measured, within } from '@/lib/health/finding';
import { checkAlertEmails } from '@/modules/alerts/service';
import { checkAuditAnchor } from '@/modules/audit/service';
import { checkBackups } from '@/modules/backups/service';
import { checkMailBackups } from '@/modules/mail-backups/service';
import { checkSubmission } from '@/modules/sending/service';
import { failureLog } from '@/server/background/failures';
import type { Clock } from '@/server/clock';
import { instanceName, thisNode } from '@/server/cluster/this-node';
import type { Database } from '@/server/db';
import { checkRedis } from '@/server/limits/rate-limit';
import { checkDisk, checkMemory } from '@/server/machine';
import { checkReplica } from '@/server/replica/reads';
import { env } from '@/server/settings/env';
import { checkDatabase } from './database';
import { checkOutsideHeartbeat } from './outside-heartbeat';
import { recordFindings, updateAlerts } from './record';
import { checkWork } from './work';

const EVERY_SECONDS = 15;
/** Longer than any check takes that ends by itself. */
const CHECK_TIMEOUT_MS = 10_000;

const failures = failureLog('a health check');

/**
 * Checks this instance’s machine and what it depends on and, on one instance at a time, the system as a whole. One check
 * that fails or hangs leaves the others alone.
 */
export async function runHealthChecks(db: Database, clock: Clock): Promise<void> {
  // First, since nothing would handle a failure of a check that runs meanwhile.
  const isMine = await takeTurn(db);
  const own = [
    checkDisk(['disk', 'inodes'], env().dataDir).then(({ findings }) => findings),
    checkMemory().then((memory) => [memory]),
    checkClock(db, instanceName()),
    checkRedis(instanceName()),
    Promise.resolve(checkReplica()),
    Promise.resolve(checkAuditAnchor()),
  ];
  const shared = isMine ? checksOfAll(db, clock.now()) : [];
  const results = await Promise.allSettled([...own, ...shared].map((check) => within(check, CHECK_TIMEOUT_MS)));
  const problems = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  for (const problem of problems) failures.failed(problem);
  if (problems.length === 0) failures.succeeded();
  await recordFindings(
    db,
    results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])),
  );
  if (!isMine) return;
  await updateAlerts(db, clock.now());
  await db.$executeRaw`UPDATE health_run SET finished_at = now()`;
}

function checksOfAll(db: Database, now: Date): Promise<Finding[]>[] {
  return [
    checkDatabase(db),
    checkWork(db),
    checkAlertEmails(db),
    checkOutsideHeartbeat(db),
    checkSubmission(),
    checkBackups(db, now),
    checkMailBackups(db),
  ];
}

/** Whether the checks of the whole system are due, and no other instance has begun them. */
async function takeTurn(db: Database): Promise<boolean> {
  const taken = await db.$executeRaw`
    UPDATE health_run SET due_at = now() + make_interval(secs => ${EVERY_SECONDS} - 1) WHERE due_at <= now()`;
  return taken > 0;
}

/** How far this process's clock is from the database's, by its last heartbeat. */
export async function checkClock(db: Database, subject: string): Promise<Finding[]> {
  const node = await db.clusterNode.findUnique({ where: { id: thisNode().id }, select: { clockAheadMs: true } });
  return node ? [measured('clock', Math.abs(node.clockAheadMs) / 1000, subject)] : [];
}
