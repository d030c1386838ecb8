const CHUNK = 250_000;
const DAYS = 90;
const TABLES = ['message', 'message_recipient', 'message_event'];
const WORDS =
  'your order has shipped invoice for reminder meeting monday tuesday report weekly newsletter offer account update ' +
  'password reset security notice delivery confirmation payment received ticket support question about project plan ' +
  'budget review draft final contract signed welcome team lunch holiday travel booking flight hotel receipt refund ' +
  'subscription renewal expires soon trial feedback survey webinar invitation schedule change urgent action required ' +
  'summary monthly statement balance transfer bank card statement photo album shared document spreadsheet slides notes';

export const DOMAINS = 40;
/** Messages of the quiet domain, of the rare status in the busy one, and of the rare direction in the second. */
const FEW = 40;

/**
 * Fills an empty database with messages of 90 days, evenly in time. Domain 1 has a quarter of them, domain 40 a few, all
 * of the first day, and domain 41 none. Bounces are common, but rare in domain 1; so is inbound mail in domain 2. A few
 * senders and recipients have much mail, most have little. Indexes and triggers are off meanwhile.
 * @param {import('pg').Client} db
 * @param {{ count: number, onProgress: (text: string) => void }} options
 */
export async function seedMessages(db, { count, onProgress }) {
  await db.query("SET maintenance_work_mem = '1GB'; SET synchronous_commit = off; SELECT setseed(0.5)");
  await db.query(
    `INSERT INTO domain (id, name, updated_at, next_dns_check_at)
     SELECT ${domainId('n')}, 'd' || n || '.scale.example', now(), now() + interval '10 years'
       FROM generate_series(1, ${DOMAINS + 1}) AS n`,
  );
  const indexes = await dropIndexes(db);
  for (const table of TABLES) await db.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
  for (let from = 1; from <= count; from += CHUNK) {
    await db.query(insertMessages({ count, from, to: Math.min(count, from + CHUNK - 1) }));
    onProgress(`${Math.min(count, from + CHUNK - 1).toLocaleString('en')} messages`);
  }
  for (const table of TABLES) await db.query(`ALTER TABLE ${table} ENABLE TRIGGER ALL`);
  for (const { name, definition } of indexes) {
    await db.query(definition);
    onProgress(name);
  }
  await countMessages(db);
  onProgress('analytics_count');
  await db.query('VACUUM (ANALYZE)');
}

/** Drops the indexes that aren't of constraints. @returns what creates them again */
async function dropIndexes(db) {
  const { rows } = await db.query(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
      WHERE tablename = ANY($1) AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
    [TABLES],
  );
  for (const { name } of rows) await db.query(`DROP INDEX "${name}"`);
  return rows;
}

function insertMessages({ count, from, to }) {
  return `
    WITH numbered AS MATERIALIZED (
      SELECT n, now() - (${count} - n) * (interval '${DAYS} days' / ${count}) AS at,
             CASE WHEN n <= ${FEW} THEN ${DOMAINS} ELSE 1 + floor(${DOMAINS - 1} * power(random(), 2.5))::int END AS d,
             random() AS kind, random() AS result,
             floor(2000 * power(random(), 3))::int AS user_number, floor(${Math.ceil(count / 5)} * power(random(), 2))::int AS person,
             n % ${Math.max(1, Math.floor(count / FEW))} = 7 AS is_one_of_few
        FROM generate_series(${from}, ${to}) AS n
    ), classed AS MATERIALIZED (
      SELECT *, CASE WHEN is_one_of_few THEN d > 1 AND n <= ${Math.floor(count / 2)} ELSE d <> 2 AND kind < 0.4 END AS is_inbound,
             'user' || user_number || '@d' || d || '.scale.example' AS own,
             'person' || person || '@' || CASE WHEN person % 10 < 5 THEN 'large' ELSE 'p' || person % 997 END || '.example' AS other
        FROM (SELECT n, at, CASE WHEN is_one_of_few THEN 1 + n / ${Math.max(1, Math.floor(count / FEW))} % 2 ELSE d END AS d, kind, result, user_number, person, is_one_of_few
                FROM numbered) AS placed
    ), composed AS MATERIALIZED (
      SELECT *, ${idOf('n', 'at')} AS id,
             (CASE WHEN is_inbound THEN CASE WHEN result < 0.85 THEN 'received' WHEN result < 0.99 OR d = 1 THEN 'spam' ELSE 'bounced' END
                   WHEN d = 1 AND is_one_of_few THEN 'bounced'
                   WHEN result < 0.93 OR d = 1 AND result < 0.96 THEN 'delivered'
                   WHEN result < 0.96 THEN 'bounced' WHEN result < 0.98 THEN 'failed' WHEN result < 0.99 THEN 'sent'
                   ELSE 'deferred' END)::message_status AS status,
             (SELECT string_agg(word, ' ') FROM (
                SELECT (string_to_array('${WORDS}', ' '))[1 + floor(${WORDS.split(' ').length} * power(random(), 1.7))::int] AS word
                  FROM generate_series(0, 3 + n % 3)) AS words) || CASE WHEN n % 4 = 0 THEN ' ' || n ELSE '' END AS subject
        FROM classed
    ), messages AS (
      INSERT INTO message (id, message_id, queue_id, domain_id, direction, from_address, to_addresses, subject, search_key,
                           size_bytes, status, spam_score, created_at, updated_at)
      SELECT id, '<' || n || '.scale@' || CASE WHEN is_inbound THEN 'p.example' ELSE 'd' || d || '.scale.example' END || '>',
             'S' || n, ${domainId('d')}, (CASE WHEN is_inbound THEN 'inbound' ELSE 'outbound' END)::direction,
             CASE WHEN is_inbound THEN other ELSE own END, ARRAY[CASE WHEN is_inbound THEN own ELSE other END], subject,
             ' ' || lower(subject) || E'\\n ' || own || E'\\n ' || other, 1000 + n % 50000, status, CASE WHEN is_inbound THEN result * 10 END, at, at
        FROM composed
    ), recipients AS (
      INSERT INTO message_recipient (id, message_id, address, kind, status, created_at)
      SELECT ${idOf(`n * 4 + place`, 'at')}, id, address, 'to', status, at
        FROM composed, LATERAL (VALUES (1, CASE WHEN is_inbound THEN own ELSE other END),
                                       (2, CASE WHEN n % 10 = 3 THEN 'copies@archive.example' END)) AS r(place, address)
       WHERE address IS NOT NULL
    )
    INSERT INTO message_event (id, message_id, type, at)
    SELECT ${idOf('n', 'at')}, id, CASE WHEN is_inbound THEN 'received' ELSE 'accepted' END, at FROM composed`;
}

/** Inserts the counts by status that the triggers and fold_analytics would have made. */
async function countMessages(db) {
  await db.query(`
    WITH quarters AS MATERIALIZED (
      SELECT domain_id, analytics_quarter(created_at) AS at, direction, analytics_status(status, direction, queue_id) AS status,
             count(*)
        FROM message GROUP BY 1, 2, 3, 4
    )
    INSERT INTO analytics_count (domain_id, level, at, direction, status, count)
    SELECT d.id, l.level, l.at, q.direction, q.status, sum(q.count)
      FROM quarters q,
           LATERAL (VALUES (q.domain_id), ('00000000-0000-0000-0000-000000000000'::uuid)) AS d(id),
           LATERAL (VALUES ('quarter'::analytics_level, q.at), ('hour', date_trunc('hour', q.at, 'UTC')),
                           ('day', date_trunc('day', q.at, 'UTC'))) AS l(level, at)
     GROUP BY 1, 2, 3, 4, 5`);
}

function domainId(n) {
  return `('00000000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;
}

/** A UUIDv7 of the message's time, so that ids lie in the index as those of real messages do. */
function idOf(n, at) {
  return `(lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(${n}), 15, '0'))::uuid`;
}
