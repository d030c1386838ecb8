import { type CheckEntry, type CheckName, HEALTH_CHECKS } from '@/lib/health/catalog';
import type { Finding } from '@/lib/health/finding';
import { valueText } from '@/lib/health/value-text';
import { type SystemProblem, updateSystemAlerts } from '@/modules/alerts/service';
import type { Database, Tx } from '@/server/database/db';

/** A problem must last, and so must its end, so that a restart wakes nobody and a value around its limit only once. */
const LASTING_SECONDS = 25;
const SAMPLE_EVERY_SECONDS = 300;
const KEPT_HOURS = 24;
/** Longer than a restart takes. */
const GONE_AFTER_SECONDS = 300;
/** The checks that each instance and agent makes of its own host. Their subject is the host, or host and port. */
const OWN_CHECKS: CheckName[] = [
  'disk',
  'inodes',
  'mail_disk',
  'mail_inodes',
  'memory',
  'clock',
  'redis',
  'read_replica',
  'audit_anchor',
];

/** Checks that are made only if they are configured: those of the whole system, then those of an instance. */
const OPTIONAL_CHECKS: CheckName[] = ['submission', 'backup', 'backup_proof', 'mail_backup', 'heartbeat'];
const OPTIONAL_OF_INSTANCE: CheckName[] = ['redis', 'read_replica'];

/** Stores results, and since when each has its status; of a value over time, a sample every five minutes. */
export async function recordFindings(db: Database, findings: Finding[]): Promise<void> {
  const rows = JSON.stringify(findings);
  await db.$executeRaw`
    WITH found AS (
      SELECT DISTINCT ON (name, subject) * FROM jsonb_to_recordset(${rows}::jsonb)
        AS finding (name text, subject text, status health_status, value float8, "latencyMs" int, message text)
    ), sampled AS (
      INSERT INTO health_sample (name, subject, at, status, value)
      SELECT name, subject, to_timestamp(floor(extract(epoch FROM now()) / ${SAMPLE_EVERY_SECONDS}) * ${SAMPLE_EVERY_SECONDS}),
             status, value
        FROM found
      ON CONFLICT (name, subject, at) DO NOTHING
    )
    INSERT INTO health_check AS known (name, subject, status, value, latency_ms, message, since, problem_since, checked_at)
    SELECT name, subject, status, value, "latencyMs", message, now(),
           CASE WHEN status IN ('degraded', 'down') THEN now() END, now()
      FROM found ORDER BY name, subject
    ON CONFLICT (name, subject) DO UPDATE
      SET status = excluded.status, value = excluded.value, latency_ms = excluded.latency_ms, message = excluded.message,
          checked_at = excluded.checked_at,
          since = CASE WHEN known.status = excluded.status THEN known.since ELSE excluded.since END,
          problem_since = CASE
            WHEN excluded.problem_since IS NOT NULL THEN coalesce(known.problem_since, excluded.problem_since)
            WHEN known.status <> 'ok' OR excluded.status <> 'ok'
              OR known.since > now() - make_interval(secs => ${LASTING_SECONDS}) THEN known.problem_since END`;
}

/** Removes the result of a check that is no longer made. */
export async function forgetFinding(db: Database, name: CheckName, subject: string): Promise<void> {
  await db.healthCheck.deleteMany({ where: { name, subject } });
}

/**
 * Removes the results of checks that are no longer made because their settings are gone, so that they aren't unknown for a day.
 * @param found what all checks of the whole system, or of an instance, have found now
 */
export async function forgetUnset(db: Database, found: Finding[], instance?: string): Promise<void> {
  const names = instance === undefined ? OPTIONAL_CHECKS : OPTIONAL_OF_INSTANCE;
  const made = JSON.stringify(found.map(({ name, subject }) => ({ name, subject })));
  await db.$executeRaw`
    DELETE FROM health_check h
     WHERE name = ANY (${names}::text[]) AND (${instance ?? null}::text IS NULL OR subject = ${instance ?? null})
       AND NOT EXISTS (SELECT FROM jsonb_to_recordset(${made}::jsonb) AS made (name text, subject text)
                        WHERE made.name = h.name AND made.subject = h.subject)`;
}

/** Forgets hosts and services that no longer report, and opens and closes the alerts of the rest. */
export async function updateAlerts(db: Database, now: Date): Promise<void> {
  await db.$executeRaw`DELETE FROM health_sample WHERE at < now() - make_interval(hours => ${KEPT_HOURS})`;
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`DELETE FROM health_check WHERE checked_at < now() - make_interval(hours => ${KEPT_HOURS})`;
    await forgetGone(tx);
    await updateSystemAlerts(tx, await findProblems(tx), now);
  });
}

/**
 * Forgets the checks of instances and agents that have unregistered, so that they aren't unknown for a day. One that was
 * killed stays among the nodes, and its checks stay with it, until it is removed there. Several instances on a host have
 * different ports, which nodes don't: one has unregistered if the others, whose clocks are checked, are all nodes of the host.
 */
async function forgetGone(tx: Tx): Promise<void> {
  await tx.$executeRaw`
    WITH stale AS (
      SELECT name, subject, split_part(subject, ':', 1) AS host FROM health_check
       WHERE name = ANY (${OWN_CHECKS}::text[]) AND subject <> ''
         AND checked_at < now() - make_interval(secs => ${GONE_AFTER_SECONDS})
    ), fresh AS (
      SELECT subject, split_part(subject, ':', 1) AS host FROM health_check
       WHERE name = 'clock' AND checked_at >= now() - make_interval(secs => ${GONE_AFTER_SECONDS})
    )
    DELETE FROM health_check h USING stale s
     WHERE h.name = s.name AND h.subject = s.subject
       AND NOT EXISTS (SELECT FROM fresh f WHERE f.subject = s.subject)
       AND (SELECT count(*) FROM cluster_node n WHERE n.host = s.host) <=
           CASE WHEN s.subject = s.host THEN 0 ELSE (SELECT count(*) FROM fresh f WHERE f.host = s.host) END`;
}

async function findProblems(tx: Tx): Promise<SystemProblem[]> {
  const rows = await tx.$queryRaw<(Pick<Finding, 'name' | 'subject' | 'value' | 'message'> & Row)[]>`
    SELECT name, subject, value, message, status,
           problem_since < now() - make_interval(secs => ${LASTING_SECONDS}) AS "isLasting"
      FROM health_check WHERE problem_since IS NOT NULL`;
  return rows.flatMap(({ name, subject, value, message, status, isLasting }) => {
    const entry = Object.hasOwn(HEALTH_CHECKS, name) ? HEALTH_CHECKS[name] : undefined;
    if (!entry) return [];
    const what = subject ? `${entry.title} (${subject})` : entry.title;
    const found = message ? sentence(message) : measuredText(entry, value, status);
    const isDown = status === 'down' ? true : status === 'degraded' ? false : null;
    return [{ subject: what, isDown, text: `${found} ${entry.fix}`.trim(), isLasting }];
  });
}

function measuredText({ limits, unit }: CheckEntry, value: number | null, status: Finding['status']): string {
  const limit = (status === 'down' ? limits?.down : null) ?? limits?.degraded ?? null;
  const measured = `The value is ${valueText(value, unit)}`;
  return limit === null ? `${measured}.` : `${measured}; the limit is ${valueText(limit, unit)}.`;
}

/** Messages of programs, such as "connect ECONNREFUSED", have no full stop. */
function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

type Row = { status: Finding['status']; isLasting: boolean };
