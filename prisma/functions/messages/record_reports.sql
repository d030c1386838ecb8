-- Stores what reports changed of outbound messages that the transaction has locked: statuses, traces and events. `given` is
-- what src/modules/messages/tracking/reported.ts encodes.
-- Called by src/modules/messages/tracking/reported.ts.
--
-- Planner settings: the plan is kept while the tables grow, so it finds rows by their keys even where reading a small table
-- would be quicker. A plan for the values of its arrays looks cheaper than a kept one, and planning takes longer than
-- running it.
CREATE OR REPLACE FUNCTION record_reports(given jsonb) RETURNS void
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  UPDATE message m SET status = its.status, queue_id = its.queue_id, updated_at = now()
    FROM jsonb_to_recordset(given->'messages') AS its(id uuid, status message_status, queue_id text)
   WHERE m.id = its.id;

  UPDATE message_recipient r
     SET status = its.status, cause = its.cause, smtp_code = its.smtp_code, enhanced_code = its.enhanced_code,
         response = its.response, category = its.category, delivered_at = its.delivered_at
    FROM jsonb_populate_recordset(NULL::message_recipient, given->'recipients') AS its
   WHERE r.id = its.id;

  INSERT INTO message_event (id, message_id, type, at, recipient, detail)
  SELECT * FROM jsonb_to_recordset(given->'trace')
             AS e(id uuid, message_id uuid, type text, at timestamptz, recipient text, detail jsonb);

  IF given->'events' <> '[]' THEN
    PERFORM emit_events(given->'events');
  END IF;
END
$$;
