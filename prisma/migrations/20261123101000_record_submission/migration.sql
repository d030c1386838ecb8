-- Stores an event and a delivery for each subscribed webhook. `body` is null if it is stored in parts.
CREATE FUNCTION insert_event(
  event uuid, event_type text, event_domain uuid, message uuid, recipient text, body text, body_bytes integer, moment timestamptz
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO event (id, type, domain_id, message_row_id, recipient, body, body_bytes, created_at)
  VALUES (event, event_type, event_domain, message, recipient, body, body_bytes, moment);
  INSERT INTO webhook_delivery (id, webhook_id, event_id, next_attempt_at)
  SELECT uuid_v7(), w.id, event, now() FROM webhook w
   WHERE w.active AND w.events && ARRAY[event_type, '*'] AND (w.domain_id IS NULL OR w.domain_id = event_domain);
END
$$;

-- Stores an event from what src/modules/events/service.ts encodes. A body of more than 64 KB is stored in parts.
CREATE FUNCTION emit_event(given jsonb) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  event CONSTANT uuid := given->>'id';
  body CONSTANT text := given->>'body';
  is_inline CONSTANT boolean := octet_length(body) <= 64 * 1024;
  part_bytes CONSTANT integer := 512 * 1024;
BEGIN
  PERFORM insert_event(event, given->>'type', (given->>'domain_id')::uuid, (given->>'message_row_id')::uuid, given->>'recipient',
                       CASE WHEN is_inline THEN body END, octet_length(body), (given->>'at')::timestamptz);
  IF NOT is_inline THEN
    INSERT INTO event_part (event_id, position, bytes)
    SELECT event, n, substring(convert_to(body, 'UTF8') FROM n * part_bytes + 1 FOR part_bytes)
      FROM generate_series(0, (octet_length(body) - 1) / part_bytes) AS n;
  END IF;
END
$$;

-- A message's status from those of its recipients, as statusOf in src/modules/messages/tracking/locked-message.ts.
CREATE FUNCTION message_status_of(message uuid) RETURNS message_status
LANGUAGE sql STABLE
AS $$
  SELECT CASE WHEN bool_or(status = 'deferred') THEN 'deferred'
              WHEN bool_or(status NOT IN ('delivered', 'bounced', 'failed')) THEN 'sent'
              WHEN bool_or(status = 'bounced') THEN 'bounced'
              WHEN bool_or(status = 'failed') THEN 'failed'
              ELSE 'delivered' END::message_status
    FROM message_recipient WHERE message_id = message
$$;

-- Records the mail server's reply to a submission: status, trace, events and audit entry. The lock comes first, so each later
-- statement sees a delivery report that was recorded meanwhile, which is kept. `given` is what
-- src/modules/messages/tracking/submissions.ts encodes. False if another transaction has locked the message, with `skip_locked`.
CREATE FUNCTION record_submission(given jsonb, skip_locked boolean) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  moment CONSTANT timestamptz := given->>'at';
  new_status CONSTANT message_status := given->>'status';
  known message;
  rejected jsonb;
BEGIN
  IF skip_locked THEN
    SELECT * INTO known FROM message WHERE id = (given->>'id')::uuid FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN false; END IF;
  ELSE
    SELECT * INTO STRICT known FROM message WHERE id = (given->>'id')::uuid FOR UPDATE;
  END IF;

  IF known.status IN ('submitting', 'uncertain') THEN
    UPDATE message SET status = new_status, queue_id = coalesce(queue_id, given->>'queue_id'), updated_at = now()
     WHERE id = known.id;
    UPDATE message_recipient r
       SET status = new_status, cause = reply.cause, smtp_code = reply.smtp_code, enhanced_code = reply.enhanced_code,
           response = reply.response, category = reply.category
      FROM jsonb_populate_record(NULL::message_recipient, given->'reply') AS reply
     WHERE r.message_id = known.id AND r.status IN ('submitting', 'uncertain');
    INSERT INTO message_event (id, message_id, type, at, detail)
    VALUES ((given->'trace'->>'id')::uuid, known.id, given->'trace'->>'type', moment, given->'trace'->'detail');
    PERFORM emit_event(event) FROM jsonb_array_elements(given->'events') AS event;
  ELSIF known.queue_id IS NULL AND given->>'queue_id' IS NOT NULL THEN
    UPDATE message SET queue_id = given->>'queue_id', updated_at = now() WHERE id = known.id;
  END IF;

  FOR rejected IN SELECT * FROM jsonb_array_elements(given->'rejected') LOOP
    UPDATE message_recipient r
       SET status = 'failed', cause = reply.cause, smtp_code = reply.smtp_code, enhanced_code = reply.enhanced_code,
           response = reply.response, category = reply.category
      FROM jsonb_populate_record(NULL::message_recipient, rejected->'reply') AS reply
     WHERE r.message_id = known.id AND r.address = rejected->>'address'
       AND r.status IN ('submitting', 'uncertain', 'sent');
    CONTINUE WHEN NOT FOUND;
    INSERT INTO message_event (id, message_id, type, at, recipient, detail)
    VALUES ((rejected->'trace'->>'id')::uuid, known.id, rejected->'trace'->>'type', moment, rejected->>'address',
            rejected->'trace'->'detail');
    PERFORM emit_event(rejected->'event');
  END LOOP;
  IF jsonb_array_length(given->'rejected') > 0 THEN
    UPDATE message SET status = message_status_of(known.id), updated_at = now() WHERE id = known.id;
  END IF;

  -- A message that the mail server refused doesn't count against the hourly limits.
  IF new_status = 'failed' THEN
    PERFORM uncount_send(known.id);
  END IF;
  IF jsonb_typeof(given->'entry') = 'object' THEN
    INSERT INTO audit_entry SELECT * FROM jsonb_populate_record(NULL::audit_entry, given->'entry');
  END IF;
  RETURN true;
END
$$;
