import { setTimeout as sleep } from 'node:timers/promises';

const CRON_PAUSE_MS = 1_500;
const ORPHANED_AFTER_MS = 30_000;
const ATTEMPT_ENDS_WITHIN_MS = 12_000;

/** Calls the cron route of every instance at once, like a scheduler. */
export async function callCron(instances, secret, state) {
  while (!state.isDone) {
    const headers = { authorization: `Bearer ${secret}` };
    for (const { port } of instances) {
      void fetch(`http://127.0.0.1:${port}/api/cron/webhooks`, { method: 'POST', headers }).then(
        (response) => state.cronStatuses.add(`${port} ${response.status}`),
        () => null,
      );
    }
    await sleep(CRON_PAUSE_MS);
  }
}

/** Whether every instance answered the cron route with 200, and none rejected the secret. */
export function hasCronAnswered(instances, { cronStatuses }) {
  return instances.every(({ port }) => cronStatuses.has(`${port} 200`) && !cronStatuses.has(`${port} 401`));
}

export async function isAllDelivered(db) {
  const { rows } = await db.query(`SELECT count(*)::int AS open FROM webhook_delivery WHERE status <> 'delivered'`);
  return rows[0].open === 0;
}

export async function leases(db) {
  const { rows } = await db.query('SELECT lease_token FROM webhook_delivery WHERE lease_token IS NOT NULL');
  return rows.map(({ lease_token: token }) => token);
}

/** Attempts of the other instance end within an attempt's timeout; leases that remain were interrupted. */
export async function watchLeases(db, tokens, state) {
  await sleep(ATTEMPT_ENDS_WITHIN_MS);
  state.cutOff += await countHeld(db, tokens);
  await sleep(ORPHANED_AFTER_MS - ATTEMPT_ENDS_WITHIN_MS);
  state.orphaned += await countHeld(db, tokens);
}

/** Counts leases that still block a delivery; expired ones don't. */
async function countHeld(db, tokens) {
  const { rows } = await db.query(
    'SELECT count(*)::int AS held FROM webhook_delivery WHERE lease_token = ANY ($1) AND next_attempt_at > now()',
    [tokens],
  );
  return rows[0].held;
}
