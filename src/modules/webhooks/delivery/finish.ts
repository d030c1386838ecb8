import { openAlerts, resolveAlert } from '@/modules/alerts/service';
import type { Database } from '@/server/db';
import type { AttemptFailure } from '../schema';
import type { Job } from './claim';

/** The delay after each failure, in seconds. One more failure abandons the delivery. */
export const RETRY_DELAYS_SECONDS = [30, 120, 900, 3600, 7200];

const ALERT_AFTER_FAILURES = 30;

export type Outcome = {
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  /** Null if delivered. */
  failure: AttemptFailure | null;
  answer: string;
  remoteAddress: string | null;
};

/**
 * Records an attempt and updates its delivery and the endpoint's failure count, in one statement. Does nothing if the
 * lease was lost: the new holder records its own attempt. Tests are not retried and don't count as endpoint failures.
 */
export async function finishAttempt(db: Database, job: Job, outcome: Outcome): Promise<void> {
  const isDelivered = outcome.failure === null;
  const [endpoint] = await db.$queryRaw<{ failures: number; url: string; domainId: string | null }[]>`
    WITH held AS (
      UPDATE webhook_delivery SET
             attempt_count = attempt_count + 1,
             failure_count = failure_count + ${isDelivered ? 0 : 1},
             lease_token = NULL,
             status = CASE WHEN ${isDelivered} THEN 'delivered'
                           WHEN ${job.isTest} OR failure_count >= ${RETRY_DELAYS_SECONDS.length} THEN 'abandoned'
                           ELSE 'retrying' END::delivery_status,
             next_attempt_at = CASE WHEN ${isDelivered || job.isTest} THEN NULL
                                    ELSE now() + make_interval(secs =>
                                      (${RETRY_DELAYS_SECONDS}::int[])[failure_count + 1]) END,
             finished_at = CASE WHEN ${isDelivered || job.isTest} OR failure_count >= ${RETRY_DELAYS_SECONDS.length}
                                THEN now() END
       WHERE id = ${job.id}::uuid AND lease_token = ${job.token}::uuid
      RETURNING id, webhook_id, attempt_count
    ), recorded AS (
      INSERT INTO webhook_attempt (delivery_id, number, started_at, duration_ms, status_code, failure, answer, remote_address)
      SELECT id, attempt_count, ${outcome.startedAt}, ${Math.round(outcome.durationMs)}::int, ${outcome.statusCode}::int,
             ${outcome.failure}, ${outcome.answer}, ${outcome.remoteAddress}
        FROM held
    )
    UPDATE webhook w SET
           failures_in_row = CASE WHEN ${isDelivered} THEN 0 ELSE w.failures_in_row + 1 END,
           failing_since = CASE WHEN ${isDelivered} THEN NULL ELSE coalesce(w.failing_since, now()) END
      FROM held
     WHERE w.id = held.webhook_id AND NOT ${job.isTest} AND (NOT ${isDelivered} OR w.failures_in_row > 0)
    RETURNING w.failures_in_row AS failures, w.url, w.domain_id AS "domainId"`;
  if (!endpoint) return;
  const { failures: count, url, domainId } = endpoint;
  const about = failingAlert({ id: job.webhookId, url });
  if (count === 0) await resolveAlert(db, about, outcome.startedAt);
  else if (count >= ALERT_AFTER_FAILURES)
    await openAlerts(db, [{ ...about, domainId, count, expected: 0 }], outcome.startedAt);
}

/** Without the path, which may be a password: more admins can read alerts and the audit log than webhooks. */
export function failingAlert({ id, url }: { id: string; url: string }) {
  return { kind: 'webhook_failing' as const, subject: `${new URL(url).host} (${id})` };
}
