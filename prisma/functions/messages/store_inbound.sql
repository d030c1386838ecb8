-- Stores what is known of inbound messages in each domain: rows, which earlier deliveries may have created, recipients and
-- traces. A row created before the message was delivered may lack fields that are known now; they are updated. `given` is
-- what src/modules/messages/inbound/message-row.ts encodes.
-- Called by receive_inbound.
--
-- Planner settings: the plan is kept while the tables grow, so it finds rows by their keys even where reading a small table
-- would be quicker. A plan for the values of its arrays looks cheaper than a kept one, and planning takes longer than
-- running it.
CREATE OR REPLACE FUNCTION store_inbound(given jsonb)
RETURNS TABLE (queue_id text, domain_id uuid, id uuid, is_known boolean)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
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
