import type { ServiceReport } from '@/mail/agent/services/watch';
import type { Database } from '@/server/database/db';

const FORGOTTEN_AFTER_HOURS = 24;

/** Stores what an agent knows about the services of its host. */
export async function recordServices(db: Database, host: string, reports: ServiceReport[]): Promise<void> {
  const rows = reports.map(({ process, ...report }) => ({
    ...report,
    processId: process?.pid ?? null,
    startedAt: process?.startedAt.toISOString() ?? null,
  }));
  await db.$executeRaw`
    INSERT INTO mail_service AS known (host, service, state, since, message, version, process_id, started_at, drift,
                                       drift_message, custom, checked_at)
    SELECT ${host}, service, state, now(), message, version, "processId", "startedAt",
           CASE WHEN jsonb_typeof(drift) = 'array' THEN drift END, "driftMessage",
           ARRAY(SELECT jsonb_array_elements_text(custom)), now()
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS report (service text, state mail_service_state, message text, version text, "processId" int,
                   "startedAt" timestamptz, drift jsonb, "driftMessage" text, custom jsonb)
    ON CONFLICT (host, service) DO UPDATE
      SET since = CASE WHEN known.state = excluded.state THEN known.since ELSE excluded.since END,
          state = excluded.state, message = excluded.message, version = excluded.version,
          process_id = excluded.process_id, started_at = excluded.started_at, drift = excluded.drift,
          drift_message = excluded.drift_message, custom = excluded.custom, checked_at = excluded.checked_at`;
  await db.$executeRaw`
    DELETE FROM mail_service WHERE checked_at < now() - make_interval(hours => ${FORGOTTEN_AFTER_HOURS})`;
}
