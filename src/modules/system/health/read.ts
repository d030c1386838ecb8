import { type CheckName, HEALTH_CHECKS } from '@/lib/health/catalog';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { GetHealthHistory, HealthCheck, HealthDay, HealthHistory, SystemHealth } from '../schema';
import { listTasks } from './scheduled-tasks';

/** Four runs missed. */
const STALE_AFTER_MS = 60_000;
const ORDER = Object.keys(HEALTH_CHECKS);
const WORST_FIRST: HealthCheck['status'][] = ['down', 'degraded', 'unknown', 'ok'];

export async function getSystemHealth(ctx: ActorContext): Promise<SystemHealth> {
  const [rows, tasks] = await Promise.all([ctx.db.healthCheck.findMany(), listTasks(ctx.db)]);
  const now = ctx.clock.now();
  const checks = rows.flatMap((row) => (isKnown(row.name) ? [present(row.name, row, now)] : []));
  return { status: worstOf(checks), checks: checks.sort(byUrgency), tasks };
}

export async function getHealthHistory(ctx: ActorContext, where: GetHealthHistory): Promise<HealthHistory> {
  const rows = await ctx.db.healthSample.findMany({ where, orderBy: { at: 'asc' } });
  return rows.map(({ at, status, value }) => ({ at: at.toISOString(), status, value }));
}

/** The last day of all checks, by hour. */
export async function getHealthDays(ctx: ActorContext): Promise<HealthDay[]> {
  const rows = await ctx.db.$queryRaw<HourRow[]>`
    SELECT name, subject, date_trunc('hour', at) AS at, array_agg(DISTINCT status::text) AS statuses, avg(value) AS value
      FROM health_sample GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;
  const days = new Map<string, HealthDay>();
  for (const { name, subject, at, statuses, value } of rows) {
    const key = JSON.stringify([name, subject]);
    const day = days.get(key) ?? { name, subject, hours: [] };
    const status = WORST_FIRST.find((one) => statuses.includes(one)) ?? 'unknown';
    day.hours.push({ at: at.toISOString(), status, value });
    days.set(key, day);
  }
  return [...days.values()];
}

type HourRow = { name: string; subject: string; at: Date; statuses: string[]; value: number | null };

/** Nothing known is worse than anything ok, but no reason to call the system degraded. */
function worstOf(checks: Pick<HealthCheck, 'status'>[]): HealthCheck['status'] {
  const found = (['down', 'degraded', 'ok'] as const).find((status) => checks.some((check) => check.status === status));
  return found ?? 'unknown';
}

function isKnown(name: string): name is CheckName {
  return Object.hasOwn(HEALTH_CHECKS, name);
}

function byUrgency(one: HealthCheck, other: HealthCheck): number {
  return (
    WORST_FIRST.indexOf(one.status) - WORST_FIRST.indexOf(other.status) ||
    ORDER.indexOf(one.name) - ORDER.indexOf(other.name) ||
    one.subject.localeCompare(other.subject)
  );
}

function present(name: CheckName, row: Prisma.HealthCheckGetPayload<object>, now: Date): HealthCheck {
  const { group, title, unit, limits, fix } = HEALTH_CHECKS[name];
  const isStale = now.getTime() - row.checkedAt.getTime() > STALE_AFTER_MS;
  const status = isStale ? 'unknown' : row.status;
  return {
    name,
    group,
    title,
    subject: row.subject,
    status,
    value: row.value,
    unit,
    threshold: limits ?? null,
    latency_ms: row.latencyMs,
    message: isStale ? 'It has not been checked for over a minute.' : row.message,
    fix: status === 'ok' ? null : fix,
    since: (isStale ? row.checkedAt : row.since).toISOString(),
    checked_at: row.checkedAt.toISOString(),
  };
}
