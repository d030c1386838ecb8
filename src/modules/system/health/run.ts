import { hostname } from 'node:os';
import { type Finding, measured } from '@/lib/health/finding';
import { checkSubmission } from '@/modules/sending/service';
import type { Clock } from '@/server/clock';
import { thisNode } from '@/server/cluster/this-node';
import type { Database } from '@/server/db';
import { checkRedis } from '@/server/limits/rate-limit';
import { log } from '@/server/log';
import { checkMachine } from '@/server/machine';
import { env } from '@/server/settings/env';
import { checkDatabase } from './database';
import { recordFindings, updateAlerts } from './record';
import { checkWork } from './work';

const EVERY_SECONDS = 15;

/**
 * Checks this instance’s machine and what it depends on and, on one instance at a time, the system as a whole. One check
 * that fails leaves the others alone.
 */
export async function runHealthChecks(db: Database, clock: Clock): Promise<void> {
  const own = [checkMachine(env().dataDir), checkClock(db), checkRedis(hostname())];
  const isMine = await takeTurn(db);
  const shared = isMine ? [checkDatabase(db), checkWork(db), checkSubmission()] : [];
  const results = await Promise.allSettled([...own, ...shared]);
  for (const result of results) {
    if (result.status === 'rejected') log.error({ error: result.reason }, 'a health check failed');
  }
  await recordFindings(
    db,
    results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])),
  );
  if (isMine) await updateAlerts(db, clock.now());
}

/** Whether the checks of the whole system are due, and no other instance has begun them. */
async function takeTurn(db: Database): Promise<boolean> {
  const taken = await db.$executeRaw`
    UPDATE health_run SET due_at = now() + make_interval(secs => ${EVERY_SECONDS} - 1) WHERE due_at <= now()`;
  return taken > 0;
}

/** How far this process's clock is from the database's, by its last heartbeat. */
export async function checkClock(db: Database): Promise<Finding[]> {
  const node = await db.clusterNode.findUnique({ where: { id: thisNode().id }, select: { clockAheadMs: true } });
  return node ? [measured('clock', Math.abs(node.clockAheadMs) / 1000, hostname())] : [];
}
