-- Stores events and a delivery for each subscribed webhook, from what src/modules/events/service.ts encodes. A body of more than
-- 64 KB is stored in parts; an event without a body has parts that its caller stores, `body_bytes` long.
CREATE FUNCTION emit_events(given jsonb) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  max_inline CONSTANT integer := 64 * 1024;
  part_bytes CONSTANT integer := 512 * 1024;
BEGIN
  WITH new AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(given) AS e(id uuid, type text, domain_id uuid, message_row_id uuid, recipient text, body text,
                                                 body_bytes integer, at timestamptz)
  ), stored AS (
    INSERT INTO event (id, type, domain_id, message_row_id, recipient, body, body_bytes, created_at)
    SELECT id, type, domain_id, message_row_id, recipient, CASE WHEN octet_length(body) <= max_inline THEN body END,
           coalesce(octet_length(body), body_bytes), at
      FROM new
  ), in_parts AS (
    INSERT INTO event_part (event_id, position, bytes)
    SELECT id, n, substring(convert_to(body, 'UTF8') FROM n * part_bytes + 1 FOR part_bytes)
      FROM new, generate_series(0, (octet_length(body) - 1) / part_bytes) AS n
     WHERE octet_length(body) > max_inline
  )
  INSERT INTO webhook_delivery (id, webhook_id, event_id, next_attempt_at)
  SELECT uuid_v7(), w.id, new.id, now()
    FROM new JOIN webhook w ON w.active AND w.events && ARRAY[new.type, '*']
                           AND (w.domain_id IS NULL OR w.domain_id = new.domain_id);
END
$$;

-- Records the mail server's replies to submissions: status, trace, events and audit entries. The locks come first, so the
-- statements after them see delivery reports that were recorded meanwhile, which are kept. `given` is what
-- src/modules/messages/tracking/submissions.ts encodes. Returns the messages that were recorded: with `skip_locked`, not those that
-- another transaction has locked.
-- A plan is kept while the tables grow, so it finds rows by their keys even where reading a small table would be quicker.
CREATE FUNCTION record_submissions(given jsonb, skip_locked boolean) RETURNS uuid[]
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  asked CONSTANT uuid[] := ARRAY(SELECT (each->>'id')::uuid FROM jsonb_array_elements(given) AS each);
  locked uuid[];
  unanswered uuid[];
  refused record;
BEGIN
  IF skip_locked THEN
    WITH known AS MATERIALIZED (
      SELECT id, status FROM message WHERE id = ANY (asked) ORDER BY id FOR UPDATE SKIP LOCKED
    )
    SELECT array_agg(id), array_agg(id) FILTER (WHERE status IN ('submitting', 'uncertain')) INTO locked, unanswered FROM known;
  ELSE
    WITH known AS MATERIALIZED (
      SELECT id, status FROM message WHERE id = ANY (asked) ORDER BY id FOR UPDATE
    )
    SELECT array_agg(id), array_agg(id) FILTER (WHERE status IN ('submitting', 'uncertain')) INTO locked, unanswered FROM known;
    IF cardinality(locked) IS DISTINCT FROM cardinality(asked) THEN
      RAISE no_data_found USING MESSAGE = 'a submitted message is missing';
    END IF;
  END IF;

  WITH reply AS MATERIALIZED (
    SELECT r.*, coalesce(r.id = ANY (unanswered), false) AS is_first
      FROM jsonb_to_recordset(given) AS r(id uuid, at timestamptz, status message_status, queue_id text, reply jsonb, trace jsonb,
                                          entry jsonb)
     WHERE r.id = ANY (locked)
  ), settled AS (
    UPDATE message m
       SET status = CASE WHEN is_first THEN reply.status ELSE m.status END, queue_id = coalesce(m.queue_id, reply.queue_id),
           updated_at = now()
      FROM reply WHERE m.id = reply.id AND (is_first OR (m.queue_id IS NULL AND reply.queue_id IS NOT NULL))
  ), answered AS (
    UPDATE message_recipient r
       SET status = reply.status, cause = its.cause, smtp_code = its.smtp_code, enhanced_code = its.enhanced_code,
           response = its.response, category = its.category
      FROM reply, jsonb_populate_record(NULL::message_recipient, reply.reply) AS its
     WHERE is_first AND r.message_id = reply.id AND r.status IN ('submitting', 'uncertain')
  ), traced AS (
    INSERT INTO message_event (id, message_id, type, at, detail)
    SELECT (trace->>'id')::uuid, id, trace->>'type', at, trace->'detail' FROM reply WHERE is_first
  )
  INSERT INTO audit_entry
  SELECT entry.* FROM reply, jsonb_populate_record(NULL::audit_entry, reply.entry) AS entry
   WHERE jsonb_typeof(reply.entry) = 'object';

  PERFORM emit_events(jsonb_agg(event))
     FROM jsonb_array_elements(given) AS each, jsonb_array_elements(each->'events') AS event
    WHERE (each->>'id')::uuid = ANY (unanswered) HAVING count(*) > 0;

  FOR refused IN
    SELECT (each->>'id')::uuid AS message, (each->>'at')::timestamptz AS at, recipient.value AS given
      FROM jsonb_array_elements(given) AS each, jsonb_array_elements(each->'rejected') AS recipient
     WHERE (each->>'id')::uuid = ANY (locked)
  LOOP
    UPDATE message_recipient r
       SET status = 'failed', cause = its.cause, smtp_code = its.smtp_code, enhanced_code = its.enhanced_code,
           response = its.response, category = its.category
      FROM jsonb_populate_record(NULL::message_recipient, refused.given->'reply') AS its
     WHERE r.message_id = refused.message AND r.address = refused.given->>'address'
       AND r.status IN ('submitting', 'uncertain', 'sent');
    CONTINUE WHEN NOT FOUND;
    INSERT INTO message_event (id, message_id, type, at, recipient, detail)
    VALUES ((refused.given->'trace'->>'id')::uuid, refused.message, refused.given->'trace'->>'type', refused.at,
            refused.given->>'address', refused.given->'trace'->'detail');
    PERFORM emit_events(jsonb_build_array(refused.given->'event'));
    UPDATE message SET status = message_status_of(refused.message), updated_at = now() WHERE id = refused.message;
  END LOOP;

  -- Messages that the mail server refused don't count against the hourly limits.
  PERFORM uncount_send((each->>'id')::uuid)
     FROM jsonb_array_elements(given) AS each
    WHERE each->>'status' = 'failed' AND (each->>'id')::uuid = ANY (locked);

  RETURN coalesce(locked, '{}');
END
$$;

DROP FUNCTION record_submission(jsonb, boolean);
DROP FUNCTION emit_event(jsonb);
DROP FUNCTION insert_event(uuid, text, uuid, uuid, text, text, integer, timestamptz);
