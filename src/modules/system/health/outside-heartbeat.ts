import { type Finding, measured } from '@/lib/health/finding';
import type { Database } from '@/server/db';
import { type OutboundRequest, type OutboundResult, requestOnce } from '@/server/outbound/request';
import { env } from '@/server/settings/env';

const EVERY_SECONDS = 60;
/** As in read.ts: an older result is unknown. */
const FRESH_SECONDS = 60;

type Request = (request: OutboundRequest) => Promise<OutboundResult>;

/**
 * Requests HEARTBEAT_URL once a minute, from one instance at a time, while the checks of the whole system end and nothing is down. An outside
 * monitor that misses the requests raises the alarm, whatever the reason.
 */
export async function sendOutsideHeartbeat(db: Database, request: Request = guardedRequest): Promise<void> {
  const { heartbeatUrl } = env();
  if (!heartbeatUrl) return storeResult(db, '');
  if (!(await takeTurn(db))) return;
  if (!(await isAlive(db))) return storeResult(db, '');
  const result = await request({ method: 'GET', url: heartbeatUrl, headers: {}, body: nothing(), bodyBytes: 0 });
  await storeResult(db, problemOf(result, new URL(heartbeatUrl).host));
}

/** How long the requests have been failing. Never down, because then the requests would stop and never begin again. */
export async function checkOutsideHeartbeat(db: Database): Promise<Finding[]> {
  const [row] = await db.$queryRaw<{ seconds: number; problem: string }[]>`
    SELECT problem, coalesce(extract(epoch FROM now() - failing_since)::int, 0) AS seconds FROM outside_heartbeat`;
  return row ? [{ ...measured('heartbeat', row.seconds), message: row.problem }] : [];
}

function guardedRequest(request: OutboundRequest): Promise<OutboundResult> {
  return requestOnce(request, { allowPrivateNetworks: env().webhookAllowPrivateNetworks });
}

async function* nothing() {}

/** Once a minute on average, although every instance asks at its own times. */
async function takeTurn(db: Database): Promise<boolean> {
  const taken = await db.$executeRaw`
    UPDATE outside_heartbeat
       SET due_at = greatest(due_at, now() - make_interval(secs => ${EVERY_SECONDS})) + make_interval(secs => ${EVERY_SECONDS})
     WHERE due_at <= now()`;
  return taken > 0;
}

async function isAlive(db: Database): Promise<boolean> {
  const [run] = await db.$queryRaw<{ isAlive: boolean }[]>`
    SELECT coalesce(finished_at > now() - make_interval(secs => ${FRESH_SECONDS}), false)
           AND NOT EXISTS (SELECT FROM health_check
                            WHERE status = 'down' AND checked_at > now() - make_interval(secs => ${FRESH_SECONDS})) AS "isAlive"
      FROM health_run`;
  return run?.isAlive === true;
}

/** Without the path, which may be a password. */
function problemOf(result: OutboundResult, host: string): string {
  if (result.outcome === 'failed') return `${host}: ${result.message}`;
  const isDone = result.status >= 200 && result.status < 300;
  return isDone ? '' : `${host} answered ${result.status} ${result.statusText}`.trimEnd();
}

async function storeResult(db: Database, problem: string): Promise<void> {
  await db.$executeRaw`
    UPDATE outside_heartbeat
       SET problem = ${problem}, failing_since = CASE WHEN ${problem} <> '' THEN coalesce(failing_since, now()) END
     WHERE problem <> ${problem}`;
}
