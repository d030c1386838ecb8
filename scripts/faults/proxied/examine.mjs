import { until } from '../../testing/trial.mjs';
import { hasCronAnswered } from '../deliveries.mjs';

const SEAL_TIMEOUT_MS = 60_000;
const SETTLE_TIMEOUT_MS = 60_000;
// Instances are dead after 20 seconds, and a problem that lasts for 25 seconds opens an alert.
const ALERT_TIMEOUT_MS = 120_000;

/** Compares what was answered, what the mail server got and what is stored. */
export async function examineMail({ sink, db }, { keyed, unkeyed }, check) {
  const all = [...keyed, ...unkeyed];
  const bySubject = countBy(sink.received.map(({ subject }) => subject));
  const byMessageId = countBy(sink.received.map(({ messageId }) => messageId));
  const accepted = all.filter(({ status }) => status === 200);
  const wrong = accepted.filter(
    ({ messageId, subject }) => byMessageId.get(messageId) !== 1 || bySubject.get(subject) !== 1,
  );
  check(
    `each of ${accepted.length} accepted messages reached the mail server once`,
    wrong.length === 0,
    wrong.slice(0, 3),
  );
  const doubled = [...bySubject].filter(([, count]) => count > 1);
  check('none of the others reached it twice', doubled.length === 0, doubled.slice(0, 3));
  const unsettled = keyed.filter(({ status, outcome }) => status !== 200 && outcome !== 'uncertain');
  check('each send with an Idempotency-Key got a definite answer', unsettled.length === 0, unsettled.slice(0, 3));

  const { rows } = await db.query(`SELECT message_id AS "messageId", status FROM message WHERE direction = 'outbound'`);
  const statuses = new Map(rows.map(({ messageId, status }) => [messageId, status]));
  const unknown = [...byMessageId.keys()].filter(
    (id) => !['sent', 'uncertain', 'submitting'].includes(statuses.get(id)),
  );
  check('every message that the mail server got is known', unknown.length === 0, unknown.slice(0, 3));
  const lost = accepted.filter(({ messageId }) => statuses.get(messageId) !== 'sent');
  check('every accepted message is listed as sent', lost.length === 0, lost.slice(0, 3));
  const missing = rows.filter(({ messageId, status }) => status === 'sent' && !byMessageId.has(messageId));
  check('every message listed as sent reached the mail server', missing.length === 0, missing.slice(0, 3));
}

/** Messages that were cut off without a repeated call are settled by a scheduled task, once they are older than any request. */
export async function examineSettling({ db }, check) {
  const { rows } = await db.query(`UPDATE message SET created_at = created_at - interval '20 minutes'
    WHERE direction = 'outbound' AND status = 'submitting' RETURNING id`);
  const ids = rows.map(({ id }) => id);
  await db.query("UPDATE scheduled_task SET due_at = now() WHERE name = 'resolving interrupted submissions'");
  const statuses = async () => (await db.query('SELECT status FROM message WHERE id = ANY ($1)', [ids])).rows;
  const areUncertain = async () => {
    const found = await statuses();
    return found.length === ids.length && found.every(({ status }) => status === 'uncertain');
  };
  const isSettled = await until(areUncertain, SETTLE_TIMEOUT_MS);
  check(`${ids.length} messages that were cut off became uncertain`, isSettled, await statuses());
}

/** Both instances check the health of the system; a problem opens one alert, which is reported once. */
export async function examineAlerts({ db }, check) {
  const open = `FROM alert WHERE status <> 'closed' AND subject = 'Instances without heartbeats'`;
  await until(async () => (await db.query(`SELECT 1 ${open}`)).rowCount !== 0, ALERT_TIMEOUT_MS);
  const { rowCount } = await db.query(`SELECT 1 ${open}`);
  check('the killed instances opened one alert', rowCount === 1, rowCount);
  const doubled = await db.query(`
    SELECT body::jsonb #>> '{data,alert_id}' AS id, body::jsonb #>> '{data,status}' AS status
      FROM event WHERE type = 'system.alert' GROUP BY 1, 2 HAVING count(*) > 1`);
  check('no alert was reported twice', doubled.rowCount === 0, doubled.rows);
}

/** Events, statistics and the audit log. */
export async function examineRecords({ db, admin, instances, receivers, webhook, state }, check) {
  const deliveries = (await db.query('SELECT id, event_id FROM webhook_delivery')).rows;
  const requests = receivers.requests.filter(({ status }) => status === 200);
  const got = countBy(requests.map(({ delivery }) => delivery));
  const missing = deliveries.filter(({ id }) => !got.has(id));
  check(`each of ${deliveries.length} events reached the webhook`, missing.length === 0, missing.slice(0, 3));
  const repeats = requests.length - deliveries.length;
  check(`${repeats} repeats for ${state.cutOff} interrupted attempts`, repeats >= 0 && repeats <= state.cutOff);
  check('no lease was left behind 30 s after a kill', state.orphaned === 0, state.orphaned);
  const unsigned = requests.filter(({ isSignedBy }) => !isSignedBy(webhook.secret));
  check('every event was signed', unsigned.length === 0);
  check('the cron route of both instances answered', hasCronAnswered(instances, state), [...state.cronStatuses]);

  const sends = await one(
    db,
    `SELECT count(*) FILTER (WHERE status = 'sent')::int AS sent, count(*)::int AS all FROM message`,
  );
  const events = await one(
    db,
    `SELECT count(DISTINCT message_row_id)::int AS messages, count(*)::int AS all
    FROM event WHERE type = 'mail.sent'`,
  );
  check('each sent message has one event', events.messages === sends.sent && events.all === sends.sent, {
    events,
    sends,
  });
  // An alert may have opened just now, and its event has no number yet.
  let sequence;
  await until(async () => {
    sequence = await one(
      db,
      'SELECT count(*)::int AS all, max(sequence)::int AS last, count(sequence)::int AS known FROM event',
    );
    return sequence.known === sequence.all;
  }, SETTLE_TIMEOUT_MS);
  check(
    'events are numbered without a gap',
    sequence.last === sequence.all && sequence.known === sequence.all,
    sequence,
  );
  const overlaps = await db.query(`
    SELECT delivery_id FROM (
      SELECT delivery_id, started_at,
             lag(started_at + make_interval(secs => duration_ms / 1000.0)) OVER (PARTITION BY delivery_id ORDER BY number) AS ended
        FROM webhook_attempt) AS attempt
     WHERE started_at < ended`);
  check('no two attempts of a delivery overlapped', overlaps.rowCount === 0, overlaps.rows.slice(0, 3));
  await examineStatistics(db, admin, check);
  await until(async () => (await admin('/audit/verify?full=true')).unsealed === 0, SEAL_TIMEOUT_MS);
  const { valid, sealed, first_bad_id: firstBad } = await admin('/audit/verify?full=true');
  check(`the audit log of ${sealed} entries verifies`, valid === true && sealed > 0, firstBad);
}

async function examineStatistics(db, admin, check) {
  const { totals } = await admin('/analytics?period=24h');
  const stored = await one(
    db,
    `
    SELECT count(*) FILTER (WHERE status = 'sent')::int AS in_transit,
           count(*) FILTER (WHERE status = 'uncertain')::int AS uncertain,
           count(*) FILTER (WHERE status = 'submitting')::int AS submitting
      FROM message WHERE direction = 'outbound'`,
  );
  const { in_transit, uncertain, submitting } = totals;
  const counted = { in_transit, uncertain, submitting };
  check('the statistics agree with the messages', JSON.stringify(counted) === JSON.stringify(stored), {
    counted,
    stored,
  });
}

async function one(db, query) {
  return (await db.query(query)).rows[0];
}

/** @returns {Map<string, number>} */
function countBy(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
