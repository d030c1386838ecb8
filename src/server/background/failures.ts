import { isDatabaseAway } from '../database/db';
import { log } from '../log';
import { StoreError } from '../object-store/port';

/** How long the database may be away, busy or still starting before that is logged. */
const QUIET_MS = 15_000;

export type FailureLog = { failed: (error: unknown) => void; succeeded: () => void };

/** Whether an absence of the database is logged already. One line is enough for all tasks. */
let isOutageLogged = false;

/** Logs the first of a task's failures, and when it works again. @param now the present time in milliseconds */
export function failureLog(task: string, now = () => performance.now()): FailureLog {
  let failingSince: number | null = null;
  let isLogged = false;
  let hasLoggedOutage = false;
  return {
    failed(error) {
      failingSince ??= now();
      if (isLogged) return;
      if (error instanceof StoreError) {
        // A full disk or a bucket that is away says all in its message.
        log.error({ task, reason: error.message }, 'repeating task failed, retrying');
        isLogged = true;
      } else if (!isDatabaseAway(error)) {
        log.error({ error, task }, 'repeating task failed, retrying');
        isLogged = true;
      } else if (now() - failingSince >= QUIET_MS && !isOutageLogged) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ task, reason }, 'the database is not responding, repeating tasks retry');
        isLogged = true;
        hasLoggedOutage = true;
        isOutageLogged = true;
      }
    },
    succeeded() {
      if (isLogged) log.info({ task }, 'repeating task works again');
      failingSince = null;
      isLogged = false;
      // Tasks that need no database succeed during an outage, too.
      if (hasLoggedOutage) isOutageLogged = false;
      hasLoggedOutage = false;
    },
  };
}
