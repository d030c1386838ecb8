// `npm run rebuild-analytics`: counts the messages that still exist again, a UTC day at a time, and reports the days whose
// statistics differed. Works whether or not the app is running.
import { runOnDatabase } from './postgres/database-command.mjs';

/** The advisory lock of fold_analytics in the database. */
const FOLD_LOCK = 7_203_005;

await runOnDatabase(rebuild);

/** @param {import('pg').Client} client */
async function rebuild(client) {
  const days = await findDays(client);
  if (days.length === 0) {
    console.log('There is nothing to count: no messages after the day of the oldest one.');
    return;
  }
  let changed = 0;
  for (const day of days) {
    const differences = await rebuildDay(client, day);
    if (differences === 0) continue;
    changed += 1;
    console.log(`${day}: ${differences} ${differences === 1 ? 'figure' : 'figures'} corrected.`);
  }
  const counted = `Counted the messages of ${days[0]} to ${days.at(-1)} (UTC).`;
  console.log(
    changed === 0 ? `${counted} All statistics were right.` : `${counted} Days with wrong statistics: ${changed}.`,
  );
}

/**
 * The days after that of the oldest message, and after the retention period: messages of earlier days, and of that one, are
 * deleted, but for some that are open.
 */
async function findDays(client) {
  const { rows } = await client.query(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day
       FROM (SELECT greatest(min(created_at), (SELECT complete_since FROM message_retention)) AT TIME ZONE 'UTC' AS oldest,
                    max(created_at) AT TIME ZONE 'UTC' AS newest FROM message) m,
            generate_series(date_trunc('day', oldest) + interval '1 day', newest, '1 day') AS day
      ORDER BY day`,
  );
  return rows.map(({ day }) => day);
}

/** @returns {Promise<number>} how many figures differed. Sending goes on meanwhile; what it changes is counted later. */
async function rebuildDay(client, day) {
  await client.query('SELECT pg_advisory_lock($1)', [FOLD_LOCK]);
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    const { rows } = await client.query('SELECT recount_analytics_day($1::date) AS differences', [day]);
    const [{ differences }] = rows;
    await client.query(differences === 0 ? 'ROLLBACK' : 'COMMIT');
    return differences;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [FOLD_LOCK]);
  }
}
