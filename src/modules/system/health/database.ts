import { type Finding, measured, probed, unknown } from '@/lib/health/finding';
import type { Database } from '@/server/database/db';

type Facts = { connectionPercent: number; oldestTransactionSeconds: number };
type Replica = { name: string; lagSeconds: number; isVisible: boolean };

const NOT_VISIBLE = 'The database role may not see it. Grant it pg_read_all_stats.';

/** Postgres, as this instance sees it. */
export async function checkDatabase(db: Database): Promise<Finding[]> {
  const response = await probed('database', '', () => db.$queryRaw`SELECT 1`);
  if (response.status === 'down') return [response];
  // Backends of other databases count for the connections. Autovacuum and replication hold no transaction of a client.
  const [facts] = await db.$queryRaw<[Facts]>`
    SELECT round(100.0 * count(*) FILTER (WHERE backend_type = 'client backend')
                 / current_setting('max_connections')::int, 1)::float8 AS "connectionPercent",
           -- Those that began after this one are younger than now().
           greatest(floor(extract(epoch FROM now() - min(xact_start) FILTER (
             WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()))), 0)::float8
             AS "oldestTransactionSeconds"
      FROM pg_stat_activity`;
  const replicas = await db.$queryRaw<Replica[]>`
    SELECT coalesce(nullif(application_name, ''), client_addr::text, 'replica') AS name,
           max(coalesce(extract(epoch FROM replay_lag), 0))::float8 AS "lagSeconds", bool_and(state IS NOT NULL) AS "isVisible"
      FROM pg_stat_replication GROUP BY 1`;
  return [
    response,
    measured('database_connections', facts.connectionPercent),
    measured('database_transaction', facts.oldestTransactionSeconds),
    ...replicas.map(({ name, lagSeconds, isVisible }) =>
      isVisible
        ? measured('database_replication', lagSeconds, name)
        : unknown('database_replication', name, new Error(NOT_VISIBLE)),
    ),
  ];
}
