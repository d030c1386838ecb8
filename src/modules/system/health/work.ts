import { type Finding, measured } from '@/lib/health/finding';
import { countNodes } from '@/modules/cluster/service';
import type { Database } from '@/server/database/db';

// Enough to be down, and bounded however many are waiting.
const MAX_COUNTED = 50_001;

/** Measures the work that is waiting, and the instances and agents that do it. */
export async function checkWork(db: Database): Promise<Finding[]> {
  const [[due], [unsealed], agents, nodes] = await Promise.all([
    db.$queryRaw<[{ count: number; oldestSeconds: number }]>`
      SELECT count(*)::int AS count, coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0)::int AS "oldestSeconds"
        FROM (SELECT d.next_attempt_at FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id AND w.active
               WHERE d.next_attempt_at <= now() LIMIT ${MAX_COUNTED}) AS waiting`,
    db.$queryRaw<[{ seconds: number }]>`
      SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::int AS seconds
        FROM audit_entry WHERE seq IS NULL`,
    db.$queryRaw<{ host: string; seconds: number }[]>`
      SELECT host, extract(epoch FROM now() - beat_at)::int AS seconds FROM mail_agent
       WHERE beat_at > now() - interval '1 day'
          OR NOT EXISTS (SELECT FROM mail_agent other WHERE other.beat_at > now() - interval '1 day')`,
    countNodes(db),
  ]);
  return [
    measured('webhooks', due.count),
    measured('webhooks_age', due.oldestSeconds),
    measured('audit_log', unsealed.seconds),
    ...agents.map(({ host, seconds }) => measured('mail_agent', seconds, host)),
    measured('instances', nodes.dead),
    measured('versions', nodes.versions),
  ];
}
