-- Stores what reports changed of outbound messages that the transaction has locked: statuses of recipients and what follows for
-- their messages, traces, events, and suppressions of addresses that don't exist. `given` is what src/modules/messages/tracking/reported.ts encodes. Where `needs_earlier`, an address is
-- suppressed if the last message before the last 24 hours bounced with the same code, and none was delivered since. Addresses of
-- managed domains aren't suppressed, nor twice.
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
  UPDATE message_recipient r
     SET status = its.status, cause = its.cause, smtp_code = its.smtp_code, enhanced_code = its.enhanced_code,
         response = its.response, category = its.category, delivered_at = its.delivered_at
    FROM jsonb_populate_recordset(NULL::message_recipient, given->'recipients') AS its
   WHERE r.id = its.id;

  UPDATE message m SET status = message_status_of(its.id), queue_id = its.queue_id, updated_at = now()
    FROM jsonb_to_recordset(given->'messages') AS its(id uuid, queue_id text)
   WHERE m.id = its.id;

  INSERT INTO message_event (id, message_id, type, at, recipient, detail)
  SELECT * FROM jsonb_to_recordset(given->'trace')
             AS e(id uuid, message_id uuid, type text, at timestamptz, recipient text, detail jsonb);

  -- An instance of the version before gives none.
  IF given->'left' <> '[]' THEN
    DELETE FROM scheduled_message WHERE message_id IN (SELECT id::uuid FROM jsonb_array_elements_text(given->'left') AS id);
  END IF;

  IF given->'events' <> '[]' THEN
    PERFORM emit_events(given->'events');
  END IF;

  -- An instance of the version before gives none.
  IF given->'suppressions' <> '[]' THEN
    INSERT INTO suppression AS existing (id, email, domain_id, reason, source_message_id, detail, created_at)
    SELECT DISTINCT ON (s.email, d.id) s.id, s.email, d.id, 'bounce', s.source_message_id, s.detail, s.at
      FROM jsonb_to_recordset(given->'suppressions')
             AS s(id uuid, email text, domain_id uuid, source_message_id uuid, detail text, address text, enhanced_code text,
                  needs_earlier boolean, at timestamptz)
      JOIN domain d ON d.id = s.domain_id
     WHERE NOT EXISTS (SELECT FROM domain own WHERE own.name = split_part(s.email, '@', 2))
       AND (NOT s.needs_earlier OR (
             SELECT r.status = 'bounced' AND r.enhanced_code IS NOT DISTINCT FROM s.enhanced_code
               FROM message_recipient r
              WHERE lower(r.address) = lower(s.address) AND r.message_id <> s.source_message_id
                AND (r.status = 'delivered' OR r.status = 'bounced' AND r.created_at < s.at - interval '24 hours')
              ORDER BY r.created_at DESC LIMIT 1))
     ORDER BY s.email, d.id, s.at
        ON CONFLICT (email, domain_id, reason, list) DO UPDATE
       SET id = excluded.id, source_message_id = excluded.source_message_id, detail = excluded.detail, created_by = NULL,
           created_at = excluded.created_at, expires_at = NULL
     WHERE existing.expires_at <= excluded.created_at;
  END IF;
END
$$;
