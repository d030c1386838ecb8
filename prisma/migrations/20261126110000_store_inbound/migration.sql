-- Stores what is known of an inbound message in one domain, from what src/modules/messages/inbound/message-row.ts encodes: its row,
-- which an earlier delivery may have created, recipients and trace. A row created before the message was delivered may lack fields
-- that are known now; they are updated.
CREATE FUNCTION store_inbound(given jsonb) RETURNS TABLE (id uuid, is_known boolean)
LANGUAGE plpgsql
AS $$
DECLARE
  message CONSTANT message := jsonb_populate_record(NULL::message, given);
BEGIN
  -- By the queue id alone, which few messages have. With the domain, the plan may read all messages of the domain.
  SELECT m.id INTO store_inbound.id
    FROM (SELECT * FROM message m WHERE m.queue_id = message.queue_id OFFSET 0) AS m
   WHERE m.direction = 'inbound' AND m.domain_id = message.domain_id;
  is_known := FOUND;
  IF is_known THEN
    UPDATE message m
       SET updated_at = now(),
           to_addresses = ARRAY(SELECT DISTINCT address FROM unnest(m.to_addresses || message.to_addresses) AS address ORDER BY address)
     WHERE m.id = store_inbound.id;
  END IF;

  IF is_known AND message.status = 'received' THEN
    UPDATE message m
       SET message_id = message.message_id, from_address = message.from_address, subject = message.subject,
           size_bytes = message.size_bytes, spam_score = message.spam_score, updated_at = now()
     WHERE m.id = store_inbound.id AND m.status IN ('deferred', 'bounced', 'failed');
  ELSIF NOT is_known THEN
    store_inbound.id := message.id;
    INSERT INTO message (id, message_id, queue_id, domain_id, direction, from_address, to_addresses, copy_addresses, subject, size_bytes,
                         status, spam_score, created_at, updated_at)
    VALUES (message.id, message.message_id, message.queue_id, message.domain_id, 'inbound', message.from_address,
            message.to_addresses, '{}', message.subject, message.size_bytes, message.status, message.spam_score,
            message.created_at, now());
  END IF;

  INSERT INTO message_recipient (id, message_id, address, kind, status, route)
  SELECT r.id, store_inbound.id, r.address, 'to', message.status, r.route
    FROM jsonb_to_recordset(given->'recipients') AS r(id uuid, address text, route inbound_route)
      ON CONFLICT DO NOTHING;

  INSERT INTO message_event (id, message_id, type, at, recipient, detail)
  SELECT e.id, store_inbound.id, e.type, e.at, e.recipient, e.detail
    FROM jsonb_to_recordset(given->'trace') AS e(id uuid, type text, at timestamptz, recipient text, detail jsonb);
  RETURN NEXT;
END
$$;
