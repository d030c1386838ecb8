import { Counter, Gauge, Registry } from 'prom-client';
import type { CheckName } from '@/lib/health/catalog';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';

/** As in GET /system/health: an older result is unknown. */
const FRESH_SECONDS = 60;
/** Many more than there are hosts. Others are left out. */
const MAX_CHECKS = 500;
const STATUS_VALUES = { unknown: -1, ok: 0, degraded: 1, down: 2 };
const TIMEOUT_MS = 3_000;

type Check = { name: CheckName; subject: string; status: keyof typeof STATUS_VALUES; value: number | null };
type Total = { metric: 'messages' | 'alerts' | 'nodes'; one: string; other: string; count: number };

/** Returns the metrics of the system as a whole from the database, the same from every instance. Runs two queries. */
export async function clusterMetrics(db: Database): Promise<Registry> {
  const registry = new Registry();
  const success = new Gauge({
    name: 'postroom_cluster_scrape_success',
    help: '1 if the database answered. Otherwise the other postroom_cluster metrics are missing',
    registers: [registry],
  });
  const found = await inTime(Promise.all([readChecks(db), readTotals(db)]));
  success.set(found ? 1 : 0);
  if (!found) return registry;
  const [checks, totals] = found;
  addChecks(registry, checks);
  addTotals(registry, totals);
  return registry;
}

/** Null if the database fails or is slow: what this process knows is reported all the same. */
async function inTime<Value>(work: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, TIMEOUT_MS, null);
  });
  const found = work.catch((error: unknown) => {
    log.warn({ error }, 'cannot read the metrics of the whole system');
    return null;
  });
  return Promise.race([found, timeout]).finally(() => clearTimeout(timer));
}

function readChecks(db: Database): Promise<Check[]> {
  return db.$queryRaw`
    SELECT name, left(subject, 200) AS subject, value,
           CASE WHEN checked_at > now() - make_interval(secs => ${FRESH_SECONDS}) THEN status::text ELSE 'unknown' END AS status
      FROM health_check ORDER BY name, health_check.subject LIMIT ${MAX_CHECKS}`;
}

function readTotals(db: Database): Promise<Total[]> {
  return db.$queryRaw`
    SELECT 'messages' AS metric, direction::text AS one, status AS other, count::float8 AS count FROM message_total
    UNION ALL
    SELECT 'alerts', kind::text, severity::text, count(*)::float8 FROM alert WHERE status = 'open' GROUP BY kind, severity
    UNION ALL
    SELECT 'nodes', CASE WHEN 'agent' = ANY (roles) THEN 'agent' ELSE 'app' END,
           CASE WHEN beat_at < now() - interval '20 seconds' THEN 'dead' ELSE state::text END, count(*)::float8
      FROM cluster_node GROUP BY 2, 3`;
}

function addChecks(registry: Registry, checks: Check[]): void {
  const registers = [registry];
  const status = new Gauge({
    name: 'postroom_cluster_health_check_status',
    help: 'Result of a check of GET /system/health: 0 ok, 1 degraded, 2 down, -1 unknown',
    labelNames: ['check', 'subject'] as const,
    registers,
  });
  const value = new Gauge({
    name: 'postroom_cluster_health_check_value',
    help: 'Value of a check, in its unit in src/lib/health/catalog.ts',
    labelNames: ['check', 'subject'] as const,
    registers,
  });
  const named = new Map(
    NAMED.map(({ check, name, help, isOfSubject }) => {
      const labelNames = isOfSubject ? ['subject'] : [];
      return [check, { isOfSubject, gauge: new Gauge({ name, help, labelNames, registers }) }];
    }),
  );
  for (const { name, subject, status: found, value: number } of checks) {
    status.set({ check: name, subject }, STATUS_VALUES[found]);
    if (number === null || found === 'unknown') continue;
    value.set({ check: name, subject }, number);
    const own = named.get(name);
    own?.gauge.set(own.isOfSubject ? { subject } : {}, number);
  }
}

/** Values that most dashboards show, by names of their own. */
const NAMED: { check: CheckName; name: string; help: string; isOfSubject: boolean }[] = [
  {
    check: 'queue',
    name: 'postroom_cluster_queue_messages',
    help: 'Messages in the queue of a mail server',
    isOfSubject: true,
  },
  {
    check: 'queue_age',
    name: 'postroom_cluster_queue_oldest_seconds',
    help: 'Age of the oldest message in the queue of a mail server',
    isOfSubject: true,
  },
  {
    check: 'certificate',
    name: 'postroom_cluster_certificate_days_left',
    help: 'Days until the certificate of a mail server expires',
    isOfSubject: true,
  },
  {
    check: 'webhooks',
    name: 'postroom_cluster_webhook_deliveries_due',
    help: 'Webhook deliveries that are due',
    isOfSubject: false,
  },
  {
    check: 'webhooks_age',
    name: 'postroom_cluster_webhook_oldest_due_seconds',
    help: 'How long the oldest of these deliveries has been due',
    isOfSubject: false,
  },
  {
    check: 'scheduled_messages',
    name: 'postroom_cluster_scheduled_message_overdue_seconds',
    help: 'For how long the oldest scheduled message should have left',
    isOfSubject: false,
  },
  {
    check: 'alert_emails',
    name: 'postroom_cluster_alert_email_oldest_seconds',
    help: 'Age of the oldest alert email not sent',
    isOfSubject: false,
  },
  {
    check: 'backup',
    name: 'postroom_cluster_backup_age_seconds',
    help: 'Age of the last completed backup',
    isOfSubject: false,
  },
  {
    check: 'backup_proof',
    name: 'postroom_cluster_backup_proven_age_seconds',
    help: 'Age of the last backup that was proven by a restore',
    isOfSubject: false,
  },
];

function addTotals(registry: Registry, totals: Total[]): void {
  const registers = [registry];
  const messages = new Counter({
    name: 'postroom_cluster_messages_total',
    help: 'Messages that reached a status since Postroom was installed',
    labelNames: ['direction', 'status'] as const,
    registers,
  });
  const alerts = new Gauge({
    name: 'postroom_cluster_open_alerts',
    help: 'Alerts that are open',
    labelNames: ['kind', 'severity'] as const,
    registers,
  });
  const nodes = new Gauge({
    name: 'postroom_cluster_nodes',
    help: 'Instances of the app, and mail agents, by their heartbeats',
    labelNames: ['role', 'state'] as const,
    registers,
  });
  for (const { metric, one, other, count } of totals) {
    if (metric === 'messages') messages.inc({ direction: one, status: other }, count);
    else if (metric === 'alerts') alerts.set({ kind: one, severity: other }, count);
    else nodes.set({ role: one, state: other }, count);
  }
}
