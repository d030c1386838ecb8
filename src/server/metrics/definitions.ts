import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { poolFigures } from './pools';

export const LIMITS = [
  'address',
  'api_key',
  'concurrent_reads',
  'domain_hourly',
  'mailbox_hourly',
  'sign_in',
  'sign_in_delay',
] as const;
export const SIGN_IN_METHODS = ['oidc', 'password', 'recovery_code', 'totp'] as const;
const SUBMISSION_OUTCOMES = ['accepted', 'not_submitted', 'rejected', 'uncertain'] as const;

const QUICK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const TASK_SECONDS = [0.01, 0.1, 1, 10, 60, 600];

/** The metrics of one process. Every label has few values, all of them known in advance (docs/monitoring.md). */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const metrics = {
    registry,
    httpDuration: new Histogram({
      name: 'postroom_http_request_duration_seconds',
      help: 'Time from the request to the end of its response',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: QUICK_SECONDS,
      registers,
    }),
    submissions: new Counter({
      name: 'postroom_smtp_submissions_total',
      help: 'Messages submitted to the mail server',
      labelNames: ['outcome'] as const,
      registers,
    }),
    submissionDuration: new Histogram({
      name: 'postroom_smtp_submission_duration_seconds',
      help: 'Time to submit a message to the mail server',
      buckets: QUICK_SECONDS,
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'postroom_webhook_attempts_total',
      help: 'Attempts to deliver an event to a webhook',
      labelNames: ['outcome'] as const,
      registers,
    }),
    webhookDuration: new Histogram({
      name: 'postroom_webhook_attempt_duration_seconds',
      help: 'Time of an attempt to deliver an event to a webhook',
      buckets: QUICK_SECONDS,
      registers,
    }),
    taskRuns: new Counter({
      name: 'postroom_task_runs_total',
      help: 'Runs of background tasks',
      labelNames: ['task', 'outcome'] as const,
      registers,
    }),
    taskDuration: new Histogram({
      name: 'postroom_task_duration_seconds',
      help: 'Time of a run of a background task',
      labelNames: ['task'] as const,
      buckets: TASK_SECONDS,
      registers,
    }),
    refusals: new Counter({
      name: 'postroom_limit_refusals_total',
      help: 'Calls refused because of a limit',
      labelNames: ['limit'] as const,
      registers,
    }),
    signInFailures: new Counter({
      name: 'postroom_sign_in_failures_total',
      help: 'Failed sign-ins to the console',
      labelNames: ['method'] as const,
      registers,
    }),
    buildInfo: new Gauge({
      name: 'postroom_build_info',
      help: 'Always 1',
      labelNames: ['version', 'commit', 'node'] as const,
      registers,
    }),
  };
  addPoolGauges(registers);
  for (const limit of LIMITS) metrics.refusals.inc({ limit }, 0);
  for (const method of SIGN_IN_METHODS) metrics.signInFailures.inc({ method }, 0);
  for (const outcome of SUBMISSION_OUTCOMES) metrics.submissions.inc({ outcome }, 0);
  return metrics;
}

function addPoolGauges(registers: Registry[]): void {
  new Gauge({
    name: 'postroom_database_connections',
    help: 'Connections to Postgres',
    labelNames: ['pool', 'state'] as const,
    registers,
    collect() {
      for (const { pool, inUse, idle } of poolFigures()) {
        this.set({ pool, state: 'in_use' }, inUse);
        this.set({ pool, state: 'idle' }, idle);
      }
    },
  });
  new Gauge({
    name: 'postroom_database_connections_max',
    help: 'Most connections that a pool opens',
    labelNames: ['pool'] as const,
    registers,
    collect() {
      for (const { pool, max } of poolFigures()) this.set({ pool }, max);
    },
  });
  new Gauge({
    name: 'postroom_database_waiting',
    help: 'Queries that wait for a connection',
    labelNames: ['pool'] as const,
    registers,
    collect() {
      for (const { pool, waiting } of poolFigures()) this.set({ pool }, waiting);
    },
  });
}
