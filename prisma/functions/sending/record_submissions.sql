-- Records the mail server's replies to submissions: status, trace, events and audit entries. The locks come first, so the
-- statements after them see delivery reports that were recorded meanwhile, which are kept. `given` is what
-- src/modules/messages/tracking/submissions.ts encodes. Returns the messages that were recorded: with `skip_locked`, not
-- those that another transaction has locked.
-- Called by src/modules/messages/tracking/submissions.ts.
--
-- Planner settings: the plan is kept while the tables grow, so it finds rows by their keys even where reading a small table
-- would be quicker. A plan for the values of its arrays looks cheaper than a kept one, and planning takes longer than
-- running it.
CREATE OR REPLACE FUNCTION record_submissions(given jsonb, skip_locked boolean) RETURNS uuid[]
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
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
