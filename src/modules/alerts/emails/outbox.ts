import { type Finding, measured } from '@/lib/health/finding';
import type { Turn } from '@/server/background/task';
import type { Database, Tx } from '@/server/database/db';
import { type AlertEmail, Prisma } from '@/server/prisma/client';
import type { AlertRow } from '../message';
import { AlertSeverity } from '../schema';
import { quietNow } from './quiet-hours';

/** All alerts within this time share one email. */
const GATHER_SECONDS = 60;
const RETRY_DELAYS_SECONDS = [30, 60, 120, 300];
/** Enough for any email; more are counted in the next one. */
const MAX_ALERTS = 1_000;
/** Unsent for longer, an email tells nothing that the console does not. */
const KEPT_DAYS = 3;

/** The news of the next email. `missing` are the only addresses that lack it, empty if all do. */
export type NextEmail = { failureCount: number; news: AlertNews[]; missing: string[] };

/** An alert of which an email tells that it was opened, closed, or both. */
export type AlertNews = AlertRow & { changes: ('opened' | 'closed')[] };

/**
 * Emails of alerts that are muted and whose opening nobody has been emailed yet. They wait: one that the mail server accepted, even for
 * one address only, is completed and has an email of its end.
 */
const IS_HELD = Prisma.sql`
  (alert_muted_until(alert.kind, alert.severity, alert.domain_id, alert.subject) > now()
   AND EXISTS (SELECT FROM alert_email o
                WHERE o.alert_id = alert.id AND o.change = 'opened' AND o.sent_at IS NULL AND o.missing = '{}')) IS TRUE`;

/**
 * Drops held emails of alerts that were acknowledged or closed meanwhile. The others have been waiting since now, so that they aren't
 * reported as delayed, and are not given up.
 */
export async function holdMuted(db: Database): Promise<void> {
  await db.$executeRaw`
    WITH held AS (
      SELECT alert_id, change, status FROM alert_email e JOIN alert ON alert.id = alert_id WHERE e.sent_at IS NULL AND ${IS_HELD}
    ), dropped AS (
      DELETE FROM alert_email e USING held
       WHERE e.alert_id = held.alert_id AND e.change = held.change AND held.status <> 'open' AND e.sent_at IS NULL
    )
    UPDATE alert_email e SET created_at = now() FROM held
     WHERE e.alert_id = held.alert_id AND e.change = held.change AND held.status = 'open' AND e.sent_at IS NULL
           AND e.created_at < now() - make_interval(secs => ${GATHER_SECONDS})`;
}

/**
 * Takes everything that waits for the same addresses, if the first of it has waited for a minute: at first what all
 * addresses lack. Null if nothing is due. @param severities those that are emailed now
 */
export async function nextAlertEmail(
  db: Database,
  severities: readonly AlertRow['severity'][] = AlertSeverity.options,
): Promise<NextEmail | null> {
  const [run] = await db.$queryRaw<{ failureCount: number; missing: string[] }[]>`
    SELECT failure_count AS "failureCount", missing
      FROM alert_email JOIN alert ON alert.id = alert_id CROSS JOIN alert_email_run
     WHERE next_attempt_at <= now() AND sent_at IS NULL AND NOT ${IS_HELD} AND severity::text = ANY (${[...severities]}::text[])
           AND alert_email.created_at <= now() - make_interval(secs => ${GATHER_SECONDS})
     ORDER BY cardinality(missing) > 0, alert_email.created_at LIMIT 1`;
  if (!run) return null;
  const waiting = await db.$queryRaw<Pick<AlertEmail, 'alertId' | 'change'>[]>`
    SELECT alert_id AS "alertId", change
      FROM alert_email JOIN alert ON alert.id = alert_id
     WHERE sent_at IS NULL AND missing = ${run.missing}::text[] AND NOT ${IS_HELD} AND severity::text = ANY (${[...severities]}::text[])
     ORDER BY alert_email.created_at, alert_id LIMIT ${MAX_ALERTS}`;
  const alerts = await db.alert.findMany({ where: { id: { in: waiting.map(({ alertId }) => alertId) } } });
  const found = new Map(alerts.map((alert) => [alert.id, alert]));
  const news = new Map<string, AlertNews>();
  for (const { alertId, change } of waiting) {
    const known = news.get(alertId);
    const alert = known ?? found.get(alertId);
    if (alert) news.set(alertId, { ...alert, changes: [...(known?.changes ?? []), change] });
  }
  return news.size > 0 ? { ...run, news: [...news.values()] } : null;
}

type Attempt = { db: Database; turn: Turn; email: NextEmail };

/**
 * Records that the mail server accepted the email, even if another instance has taken over meanwhile.
 * @param problem the addresses that it refused, if any
 */
export async function markSent({ db, turn, email }: Attempt, problem = '', refused: string[] = []): Promise<void> {
  await db.$transaction(async (tx) => {
    const isHeld = await turn.renew(tx);
    await tx.$executeRaw`
      UPDATE alert_email e SET sent_at = now()
        FROM jsonb_to_recordset(${rowsOf(email)}::jsonb) AS row(id uuid, change alert_change)
       WHERE e.alert_id = row.id AND e.change = row.change`;
    if (isHeld)
      await tx.$executeRaw`
        UPDATE alert_email_run SET next_attempt_at = now(), failure_count = 0, problem = ${problem}, refused = ${refused}::text[]`;
  });
}

/**
 * Lets the email be tried again later, unless another instance has taken over.
 * @param missing the addresses that lack it, if it was accepted for others
 */
export async function markFailed({ db, turn, email }: Attempt, problem: string, missing?: string[]): Promise<void> {
  const { failureCount } = email;
  const delay = RETRY_DELAYS_SECONDS[Math.min(failureCount, RETRY_DELAYS_SECONDS.length - 1)];
  await db.$transaction(async (tx) => {
    const isHeld = await turn.renew(tx);
    if (missing)
      await tx.$executeRaw`
        UPDATE alert_email e SET missing = ${missing}::text[]
          FROM jsonb_to_recordset(${rowsOf(email)}::jsonb) AS row(id uuid, change alert_change)
         WHERE e.alert_id = row.id AND e.change = row.change AND e.sent_at IS NULL`;
    if (isHeld)
      await tx.$executeRaw`
        UPDATE alert_email_run SET next_attempt_at = now() + make_interval(secs => ${delay}),
                                   failure_count = failure_count + 1, problem = ${problem}, refused = '{}'`;
  });
}

function rowsOf({ news }: NextEmail): string {
  return JSON.stringify(news.flatMap(({ id, changes }) => changes.map((change) => ({ id, change }))));
}

/** Forgets that addresses were refused that are no longer among those of the alerts. */
export async function forgetRefused(db: Database, addresses: readonly string[]): Promise<void> {
  await db.$executeRaw`
    UPDATE alert_email_run SET problem = '', refused = '{}'
     WHERE cardinality(refused) > 0 AND NOT refused && ${[...addresses]}::text[]`;
}

/** Forgets the news, for when ALERT_EMAILS is empty. */
export async function discardAlertEmails(db: Database): Promise<void> {
  await db.$executeRaw`DELETE FROM alert_email WHERE sent_at IS NULL`;
  await db.$executeRaw`
    UPDATE alert_email_run SET next_attempt_at = now(), failure_count = 0, problem = '', refused = '{}'
     WHERE failure_count > 0 OR problem <> ''`;
}

type Wanted = { severity: AlertRow['severity']; kinds: readonly string[]; domains: readonly string[] };

/**
 * Drops what would be emailed about other alerts.
 * @param wanted from which severity, and of which kinds and domains; of all if there are none. Alerts about no domain are of all
 */
export async function discardUnwanted(db: Database, { severity, kinds, domains }: Wanted): Promise<void> {
  if (severity === 'warning' && kinds.length === 0 && domains.length === 0) return;
  await db.$executeRaw`
    DELETE FROM alert_email e USING alert a LEFT JOIN domain d ON d.id = a.domain_id
     WHERE a.id = e.alert_id AND e.sent_at IS NULL
           AND (a.severity = 'warning' AND ${severity === 'critical'}
                OR a.kind::text <> ALL (${[...kinds]}::text[]) AND ${kinds.length > 0}
                OR d.name <> ALL (${[...domains]}::text[]) AND ${domains.length > 0})`;
}

/** @returns the number of alerts that were never emailed */
export async function deleteOldAlertEmails(db: Database): Promise<number> {
  const [deleted] = await db.$queryRaw<[{ alerts: number }]>`
    WITH deleted AS (
      DELETE FROM alert_email WHERE sent_at IS NULL AND created_at < now() - make_interval(days => ${KEPT_DAYS})
      RETURNING alert_id
    ) SELECT count(DISTINCT alert_id)::int AS alerts FROM deleted`;
  return deleted.alerts;
}

/**
 * How long the first email that nobody got has been waiting, and why the last one was not accepted for everybody. In quiet hours,
 * those about warnings aren't waiting yet.
 */
export async function checkAlertEmails(db: Tx): Promise<Finding[]> {
  const quiet = quietNow(new Date());
  const [run] = await db.$queryRaw<{ seconds: number; problem: string }[]>`
    SELECT problem, coalesce((
             SELECT extract(epoch FROM now() - min(CASE WHEN severity = 'warning' THEN greatest(e.created_at, ${quiet?.endedAt ?? null})
                                                        ELSE e.created_at END))::int
               FROM alert_email e JOIN alert ON alert.id = alert_id
              WHERE sent_at IS NULL AND missing = '{}' AND NOT (${quiet?.isQuiet ?? false} AND severity = 'warning')), 0) AS seconds
      FROM alert_email_run`;
  const finding = measured('alert_emails', run?.seconds ?? 0);
  if (!run?.problem) return [finding];
  const status = finding.status === 'ok' ? 'degraded' : finding.status;
  return [{ ...finding, status, message: run.problem }];
}
