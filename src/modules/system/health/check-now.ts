import { setTimeout } from 'node:timers/promises';
import { requestTurn } from '@/server/background/turns';
import type { Database, Tx } from '@/server/database/db';
import type { MutationContext } from '@/server/procedures/mutation';
import type { SystemHealth } from '../schema';
import { getSystemHealth } from './read';
import { SYSTEM_TASK } from './scheduled-tasks';

export const CHECKS_CHANNEL = 'postroom_health';
const LOOK_INTERVAL_MS = 250;
/** Longer than a check that times out. One whose instance is gone is not waited for any longer. */
const WAIT_MS = 12_000;
/** A result that is older comes from nothing that still runs. */
const REPORTING_SECONDS = 60;

/** Runs all checks of all instances and mail servers now. @returns their results */
export async function checkNow(ctx: MutationContext): Promise<SystemHealth> {
  const at = await ctx.transaction(async ({ tx, audit }) => {
    await audit({ resource: 'health' });
    return requestChecks(tx);
  });
  const givenUpAt = performance.now() + WAIT_MS;
  while (performance.now() < givenUpAt && (await hasResultsBefore(ctx.db, at))) await setTimeout(LOOK_INTERVAL_MS);
  return getSystemHealth(ctx);
}

/** @returns the time of the database, which results from then on are later than */
export async function requestChecks(tx: Tx): Promise<Date> {
  await requestTurn(tx, SYSTEM_TASK);
  const [{ at }] = await tx.$queryRaw<[{ at: Date }]>`SELECT now() AS at, pg_notify(${CHECKS_CHANNEL}, '')::text`;
  return at;
}

async function hasResultsBefore(db: Database, at: Date): Promise<boolean> {
  const [{ exists }] = await db.$queryRaw<[{ exists: boolean }]>`
    SELECT EXISTS (SELECT FROM health_check
                    WHERE checked_at < ${at}::timestamptz
                      AND checked_at > ${at}::timestamptz - make_interval(secs => ${REPORTING_SECONDS}))`;
  return exists;
}
