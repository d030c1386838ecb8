import { raiseAlert } from '@/modules/abuse/service';
import type { Database } from '@/server/db';
import type { AttemptFailure } from '../schema';
import type { Job } from './claim';

/** spec.md, Retry: after each failure, in seconds; one more failure and the delivery is abandoned. */
export const RETRY_DELAYS_SECONDS = [30, 120, 900, 3600, 7200];

const FAILURES_IN_A_ROW_THAT_ALERT = 30;

export type Outcome = {
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  /** Null: delivered. */
  failure: AttemptFailure | null;
  answer: string;
  remoteAddress: string | null;
};

/**
 * Records an attempt, what becomes of its delivery and how the endpoint fares, in one statement and only where the lease
 * is still held: whoever took over has told or will tell. A test is not repeated and says nothing of the endpoint.
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
    ), told AS (
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
  if (!endpoint || endpoint.failures < FAILURES_IN_A_ROW_THAT_ALERT) return;
  const { failures: count, url, domainId } = endpoint;
  // Alerts and the audit log have more readers than webhooks have, and a path may be a password.
  const subject = `${new URL(url).host} (${job.webhookId})`;
  await raiseAlert(db, { kind: 'webhook_failing', subject, domainId, count, expected: 0 }, outcome.startedAt);
}
