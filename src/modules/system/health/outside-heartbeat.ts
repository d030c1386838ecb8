import { type Finding, measured } from '@/lib/health/finding';
import type { Database } from '@/server/database/db';
import { type OutboundRequest, type OutboundResult, requestOnce } from '@/server/outbound/request';
import { env } from '@/server/settings/env';
import { HEARTBEAT_TASK, SYSTEM_TASK } from './scheduled-tasks';

/** As in read.ts: an older result is unknown. */
const FRESH_SECONDS = 60;

type Request = (request: OutboundRequest) => Promise<OutboundResult>;

/**
 * Requests HEARTBEAT_URL while the checks of the whole system end and nothing is down. An outside monitor that misses the
 * requests raises the alarm, whatever the reason.
 * @throws if the request failed
 */
export async function sendOutsideHeartbeat(db: Database, request: Request = guardedRequest): Promise<void> {
  const { heartbeatUrl } = env();
  if (!heartbeatUrl || !(await isAlive(db))) return;
  const result = await request({ method: 'GET', url: heartbeatUrl, headers: {}, body: nothing(), bodyBytes: 0 });
  const problem = problemOf(result, new URL(heartbeatUrl).host);
  if (problem) throw new Error(problem);
}

/** How long the requests have been failing. Never down, because then the requests would stop and never begin again. */
export async function checkOutsideHeartbeat(db: Database): Promise<Finding[]> {
  if (!env().heartbeatUrl) return [];
  const [row] = await db.$queryRaw<{ seconds: number; failure: string }[]>`
    SELECT failure, coalesce(extract(epoch FROM now() - failing_since)::int, 0) AS seconds
      FROM scheduled_task WHERE name = ${HEARTBEAT_TASK}`;
  return row ? [{ ...measured('heartbeat', row.seconds), message: row.failure }] : [];
}

function guardedRequest(request: OutboundRequest): Promise<OutboundResult> {
  return requestOnce(request, { allowPrivateNetworks: env().webhookAllowPrivateNetworks });
}

async function* nothing() {}

async function isAlive(db: Database): Promise<boolean> {
  const [run] = await db.$queryRaw<{ isAlive: boolean }[]>`
    SELECT failure = '' AND coalesce(finished_at > now() - make_interval(secs => ${FRESH_SECONDS}), false)
           AND NOT EXISTS (SELECT FROM health_check
                            WHERE status = 'down' AND checked_at > now() - make_interval(secs => ${FRESH_SECONDS})) AS "isAlive"
      FROM scheduled_task WHERE name = ${SYSTEM_TASK}`;
  return run?.isAlive === true;
}

/** Without the path, which may be a password. */
function problemOf(result: OutboundResult, host: string): string {
  if (result.outcome === 'failed') return `${host}: ${result.message}`;
  const isDone = result.status >= 200 && result.status < 300;
  return isDone ? '' : `${host} answered ${result.status} ${result.statusText}`.trimEnd();
}
