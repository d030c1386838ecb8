import { webhookSubject } from '@/lib/texts/alert-subject';
import { openAlerts, resolveAlert } from '@/modules/alerts/service';
import type { Database } from '@/server/database/db';
import type { AttemptFailure } from '../schema';
import type { Job } from './claim';

/** The delay after each failure, in seconds. One more failure abandons the delivery. */
export const RETRY_DELAYS_SECONDS = [30, 120, 900, 3600, 7200];

export const ALERT_AFTER_FAILURES = 30;

export type Outcome = {
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  /** Null if delivered. */
  failure: AttemptFailure | null;
  answer: string;
  remoteAddress: string | null;
};

export type Finished = { job: Job; outcome: Outcome };

/**
 * Records attempts, in the order in which they ended, and updates their deliveries and the endpoints' failure counts, in one
 * statement. Does nothing for an attempt that lost its lease: the new holder records its own. Tests are not retried, and neither
 * they nor attempts at a former URL count as endpoint failures.
 */
export async function finishAttempts(db: Database, finished: Finished[]): Promise<void> {
  const jobs = finished.map(({ job }) => job);
  const outcomes = finished.map(({ outcome }) => outcome);
  const endpoints = await db.$queryRaw<Endpoint[]>`/* prepared */
    WITH outcome AS (
      SELECT *
        FROM unnest(${jobs.map(({ id }) => id)}::uuid[], ${jobs.map(({ token }) => token)}::uuid[],
                    ${jobs.map(({ url }) => url)}::text[], ${jobs.map(({ isTest }) => isTest)}::boolean[],
                    ${outcomes.map(({ startedAt }) => startedAt.toISOString())}::timestamptz[],
                    ${outcomes.map(({ durationMs }) => Math.round(durationMs))}::int[],
                    ${outcomes.map(({ statusCode }) => statusCode)}::int[],
                    ${outcomes.map(({ failure }) => failure)}::text[], ${outcomes.map(({ answer }) => answer)}::text[],
                    ${outcomes.map(({ remoteAddress }) => remoteAddress)}::text[])
             WITH ORDINALITY AS given (delivery_id, token, url, is_test, started_at, duration_ms, status_code, failure, answer,
                                       remote_address, position)
    ), held AS (
      UPDATE webhook_delivery d SET
             attempt_count = d.attempt_count + 1,
             failure_count = d.failure_count + (o.failure IS NOT NULL)::int,
             lease_token = NULL,
             status = CASE WHEN o.failure IS NULL THEN 'delivered'
                           WHEN o.is_test OR d.failure_count >= ${RETRY_DELAYS_SECONDS.length} THEN 'abandoned'
                           ELSE 'retrying' END::delivery_status,
             next_attempt_at = CASE WHEN o.failure IS NOT NULL AND NOT o.is_test
                                    THEN now() + make_interval(secs =>
                                      (${RETRY_DELAYS_SECONDS}::int[])[d.failure_count + 1]) END,
             finished_at = CASE WHEN o.failure IS NULL OR o.is_test OR d.failure_count >= ${RETRY_DELAYS_SECONDS.length}
                                THEN now() END
        FROM outcome o
       WHERE d.id = o.delivery_id AND d.lease_token = o.token
      RETURNING d.webhook_id, d.attempt_count AS number, o.*
    ), recorded AS (
      INSERT INTO webhook_attempt (delivery_id, number, started_at, duration_ms, status_code, failure, answer, remote_address)
      SELECT delivery_id, number, started_at, duration_ms, status_code, failure, answer, remote_address FROM held
    ), counted AS (
      SELECT webhook_id, last_success IS NOT NULL AS has_success,
             count(*) FILTER (WHERE position > coalesce(last_success, 0)) AS failures
        FROM (SELECT webhook_id, position,
                     max(position) FILTER (WHERE failure IS NULL) OVER (PARTITION BY webhook_id) AS last_success
                FROM held JOIN webhook ON webhook.id = held.webhook_id AND webhook.url = held.url WHERE NOT is_test) attempts
       GROUP BY webhook_id, last_success
    ), locked AS (
      -- In one order, so that two groups never wait for each other.
      SELECT w.id FROM webhook w JOIN counted c ON c.webhook_id = w.id
       WHERE c.failures > 0 OR w.failures_in_row > 0
       ORDER BY w.id FOR NO KEY UPDATE OF w
    )
    UPDATE webhook w SET
           failures_in_row = CASE WHEN c.has_success THEN 0 ELSE w.failures_in_row END + c.failures,
           failing_since = CASE WHEN c.failures = 0 THEN NULL
                                WHEN c.has_success THEN now()
                                ELSE coalesce(w.failing_since, now()) END
      FROM counted c JOIN locked l ON l.id = c.webhook_id
     WHERE w.id = c.webhook_id
    RETURNING w.id, w.failures_in_row AS failures, w.url, w.domain_id AS "domainId", w.active AS "isActive"`;
  for (const endpoint of endpoints) {
    const last = finished.findLast(({ job }) => job.webhookId === endpoint.id);
    if (last) await updateAlert(db, endpoint, last.outcome.startedAt);
  }
}

type Endpoint = { id: string; failures: number; url: string; domainId: string | null; isActive: boolean };

async function updateAlert(db: Database, { id, failures, url, domainId, isActive }: Endpoint, at: Date): Promise<void> {
  const about = failingAlert({ id, url });
  if (failures === 0) await resolveAlert(db, about, at);
  else if (isActive && failures >= ALERT_AFTER_FAILURES)
    await openAlerts(db, [{ ...about, domainId, count: failures, expected: 0 }], at);
}

export function failingAlert(webhook: { id: string; url: string }) {
  return { kind: 'webhook_failing' as const, subject: webhookSubject(webhook) };
}
