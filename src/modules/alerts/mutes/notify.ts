import { emitEvent } from '@/modules/events/service';
import type { Tx } from '@/server/database/db';
import { env } from '@/server/settings/env';
import { type AlertRow, describeAlert } from '../message';

/** Notified in one transaction. The next run of the task has the others. */
const MAX_NOTIFIED = 200;
/** Ended mutes are kept for longer than any transaction that opens an alert, since it may have read them before they ended. */
const KEPT_SECONDS = 60;

/** The alerts among these that notify nobody now. */
export async function mutedIds(db: Tx, alerts: readonly { id: string }[]): Promise<Set<string>> {
  if (alerts.length === 0) return new Set();
  const muted = await db.$queryRaw<{ id: string }[]>`
    SELECT id FROM alert
     WHERE id = ANY (${alerts.map(({ id }) => id)}::uuid[]) AND alert_muted_until(kind, severity, domain_id, subject) > now()`;
  return new Set(muted.map(({ id }) => id));
}

/**
 * Notifies once of alerts that opened while they were muted, are no longer muted, and are still open. Reads alerts only after a mute
 * has ended.
 */
export async function notifyUnmuted(tx: Tx, now: Date): Promise<void> {
  // A trigger queues the emails. Alerts that no ended mute may have applied to are left out first, which takes less time.
  const unmuted = await tx.$queryRaw<{ id: string }[]>`
    WITH ended AS MATERIALIZED (SELECT kind, severity, domain_id FROM alert_mute WHERE ends_at <= now())
    UPDATE alert SET notified_at = now()
     WHERE id IN (SELECT id FROM alert
                   WHERE EXISTS (SELECT FROM ended)
                         AND notified_at IS NULL AND status = 'open'
                         AND CASE WHEN EXISTS (SELECT FROM ended m
                                                WHERE coalesce(m.kind, alert.kind) = alert.kind
                                                      AND coalesce(m.severity, alert.severity) = alert.severity
                                                      AND (m.domain_id IS NULL OR m.domain_id = alert.domain_id))
                                  THEN alert_muted_until(kind, severity, domain_id, subject) <= now() END
                   ORDER BY created_at LIMIT ${MAX_NOTIFIED} FOR UPDATE SKIP LOCKED)
    RETURNING id`;
  if (unmuted.length < MAX_NOTIFIED)
    await tx.$executeRaw`DELETE FROM alert_mute WHERE ends_at < now() - make_interval(secs => ${KEPT_SECONDS})`;
  const rows = await tx.alert.findMany({
    where: { id: { in: unmuted.map(({ id }) => id) } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  for (const row of rows) await emitAlert(tx, row, now);
}

/**
 * Emits the event about an alert that was opened, or closed because its cause is gone, if it is of a severity, kind and
 * domain that webhooks get. Not about a failing webhook, which would get one more event that it fails on.
 */
export async function emitAlert(db: Tx, row: AlertRow, at: Date): Promise<void> {
  if (row.kind === 'webhook_failing' || !isForWebhooks(row) || !(await isOfDomainForWebhooks(db, row))) return;
  const { id, kind, severity, status, subject, domainId } = row;
  const state = status === 'closed' ? ('closed' as const) : ('open' as const);
  const data = {
    alert_id: id,
    kind,
    severity,
    status: state,
    subject,
    message: describeAlert(row),
    domain_id: domainId,
  };
  await emitEvent(db, { type: 'system.alert', messageId: null, messageRowId: null, domainId, at, data });
}

function isForWebhooks({ kind, severity }: AlertRow): boolean {
  const { alertWebhookSeverity, alertWebhookKinds } = env();
  if (severity === 'warning' && alertWebhookSeverity === 'critical') return false;
  return alertWebhookKinds.length === 0 || alertWebhookKinds.includes(kind);
}

async function isOfDomainForWebhooks(db: Tx, { domainId }: AlertRow): Promise<boolean> {
  const { alertWebhookDomains: names } = env();
  if (names.length === 0 || domainId === null) return true;
  return (await db.domain.count({ where: { id: domainId, name: { in: [...names] } } })) > 0;
}
