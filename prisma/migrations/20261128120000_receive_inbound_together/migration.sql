-- Inbound mail in one statement each for its rows, recipients and traces, instead of some ten for every message.
-- Plans are kept while the tables grow, so they find rows by their keys even where reading a small table would be quicker.
DROP FUNCTION store_inbound(jsonb);

-- Stores what is known of inbound messages in each domain, from what src/modules/messages/inbound/message-row.ts encodes: rows,
-- which earlier deliveries may have created, recipients and traces. A row created before the message was delivered may lack fields
-- that are known now; they are updated.
CREATE FUNCTION store_inbound(given jsonb) RETURNS TABLE (queue_id text, domain_id uuid, id uuid, is_known boolean)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  -- By the queue id alone, which few messages have. With the domain, the plan may read all messages of the domain.
  messages CONSTANT jsonb := (
    SELECT jsonb_agg(new || jsonb_build_object('id', coalesce(known.id::text, new->>'id'), 'is_known', known.id IS NOT NULL))
      FROM jsonb_array_elements(given) AS new
      LEFT JOIN LATERAL (SELECT m.id FROM (SELECT * FROM message m WHERE m.queue_id = new->>'queue_id' OFFSET 0) AS m
                          WHERE m.direction = 'inbound' AND m.domain_id = (new->>'domain_id')::uuid) AS known ON true);
BEGIN
  IF messages @> '[{"is_known": true}]' THEN
    UPDATE message m
       SET updated_at = now(),
           to_addresses = ARRAY(SELECT DISTINCT address FROM unnest(m.to_addresses || new.to_addresses) AS address ORDER BY address)
      FROM jsonb_to_recordset(messages) AS new(id uuid, is_known boolean, to_addresses text[])
     WHERE new.is_known AND m.id = new.id;

    UPDATE message m
       SET message_id = new.message_id, from_address = new.from_address, subject = new.subject, size_bytes = new.size_bytes,
           spam_score = new.spam_score, updated_at = now()
      FROM jsonb_to_recordset(messages) AS new(id uuid, is_known boolean, status message_status, message_id text, from_address text,
                                               subject text, size_bytes integer, spam_score double precision)
     WHERE new.is_known AND new.status = 'received' AND m.id = new.id AND m.status IN ('deferred', 'bounced', 'failed');
  END IF;

  INSERT INTO message (id, message_id, queue_id, domain_id, direction, from_address, to_addresses, copy_addresses, subject, size_bytes,
                       status, spam_score, created_at, updated_at)
  SELECT id, message_id, queue_id, domain_id, 'inbound', from_address, to_addresses, '{}', subject, size_bytes, status, spam_score,
         created_at, now()
    FROM jsonb_to_recordset(messages) AS new(id uuid, is_known boolean, message_id text, queue_id text, domain_id uuid,
                                             from_address text, to_addresses text[], subject text, size_bytes integer,
                                             status message_status, spam_score double precision, created_at timestamptz)
   WHERE NOT is_known;

  INSERT INTO message_recipient (id, message_id, address, kind, status, route)
  SELECT r.id, new.id, r.address, 'to', new.status, r.route
    FROM jsonb_to_recordset(messages) AS new(id uuid, status message_status, recipients jsonb),
         jsonb_to_recordset(new.recipients) AS r(id uuid, address text, route inbound_route)
      ON CONFLICT DO NOTHING;

  INSERT INTO message_event (id, message_id, type, at, recipient, detail)
  SELECT e.id, new.id, e.type, e.at, e.recipient, e.detail
    FROM jsonb_to_recordset(messages) AS new(id uuid, trace jsonb),
         jsonb_to_recordset(new.trace) AS e(id uuid, type text, at timestamptz, recipient text, detail jsonb);

  RETURN QUERY
    SELECT * FROM jsonb_to_recordset(messages) AS new(queue_id text, domain_id uuid, id uuid, is_known boolean);
END
$$;

-- Records inbound mail: its rows by domain, their events, and that the deliveries which the log shows are reported. `given` is
-- what src/modules/messages/inbound/record.ts encodes. Returns one result per mail, in order: the rows that were stored, none if
-- the mail was recorded before, or null for mail that has rows already, with `skip_known`. The locks come first, in the order that
-- lockInbound takes them in, so the statements after them see what was recorded meanwhile.
CREATE OR REPLACE FUNCTION receive_inbound(given jsonb, skip_known boolean) RETURNS jsonb
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  skipped bigint[];
  recorded bigint[];
  is_contested boolean;
  stored jsonb;
  events jsonb;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(key, 0))
     FROM (SELECT DISTINCT 'inbound ' || (each->>'queue_id') COLLATE "C" AS key FROM jsonb_array_elements(given) AS each ORDER BY 1) AS keys;

  WITH mail AS MATERIALIZED (
    SELECT n, each->>'queue_id' AS queue_id, nullif(each->'deliveries', 'null') AS deliveries,
           row_number() OVER (PARTITION BY each->>'queue_id' ORDER BY n) > 1 AS is_repeated
      FROM jsonb_array_elements(given) WITH ORDINALITY AS e(each, n)
  ), checked AS MATERIALIZED (
    SELECT n, queue_id, deliveries,
           (skip_known OR deliveries IS NULL) AND (is_repeated OR EXISTS (
             SELECT FROM (SELECT * FROM message m WHERE m.queue_id = mail.queue_id OFFSET 0) AS m WHERE m.direction = 'inbound'))
             AS is_skipped
      FROM mail
  ), marked AS (
    UPDATE inbound_delivery d SET reported_at = now()
      FROM checked, jsonb_to_recordset(checked.deliveries) AS shown(recipient text, addressed_to text)
     WHERE NOT is_skipped AND d.queue_id = checked.queue_id AND d.recipient = shown.recipient
       AND d.addressed_to = shown.addressed_to AND d.reported_at IS NULL
    RETURNING n
  ), counted AS (
    SELECT n, is_skipped, deliveries IS NOT NULL AS is_logged, jsonb_array_length(deliveries) AS shown,
           (SELECT count(*) FROM marked WHERE marked.n = checked.n) AS marked
      FROM checked
  )
  SELECT array_agg(n) FILTER (WHERE is_skipped), array_agg(n) FILTER (WHERE NOT is_skipped AND (NOT is_logged OR marked > 0)),
         bool_or(NOT is_skipped AND marked > 0 AND marked <> shown)
    INTO skipped, recorded, is_contested FROM counted;
  IF is_contested THEN
    RAISE 'another reader has reported some of these deliveries';
  END IF;

  IF recorded IS NOT NULL THEN
    UPDATE logged_mail SET raw = NULL
     WHERE queue_id IN (SELECT each->>'queue_id' FROM jsonb_array_elements(given) WITH ORDINALITY AS e(each, n)
                         WHERE n = ANY (recorded) AND each->'deliveries' <> 'null')
       AND raw IS NOT NULL AND removed_at IS NOT NULL;

    SELECT jsonb_agg(to_jsonb(s)) INTO stored
      FROM store_inbound((SELECT jsonb_agg(new ORDER BY n)
                            FROM jsonb_array_elements(given) WITH ORDINALITY AS e(each, n), jsonb_array_elements(each->'rows') AS new
                           WHERE n = ANY (recorded))) AS s;

    SELECT jsonb_agg(event || jsonb_build_object('message_row_id', (
             SELECT s->'id' FROM jsonb_array_elements(stored) AS s
              WHERE s->'queue_id' = each->'queue_id' AND s->'domain_id' = event->'via_domain_id')) ORDER BY n, place) INTO events
      FROM jsonb_array_elements(given) WITH ORDINALITY AS e(each, n),
           jsonb_array_elements(each->'events') WITH ORDINALITY AS v(event, place)
     WHERE n = ANY (recorded);
    IF events IS NOT NULL THEN
      PERFORM emit_events(events);
    END IF;
  END IF;

  RETURN (
    SELECT jsonb_agg(CASE
             WHEN n = ANY (recorded) THEN coalesce((SELECT jsonb_agg(s - 'queue_id') FROM jsonb_array_elements(stored) AS s
                                                     WHERE s->'queue_id' = each->'queue_id'), '[]')
             WHEN skip_known AND n = ANY (skipped) THEN 'null' ELSE '[]' END ORDER BY n)
      FROM jsonb_array_elements(given) WITH ORDINALITY AS e(each, n));
END
$$;
