-- Stores events and a delivery for each subscribed webhook, from what src/modules/events/service.ts encodes. A body of more
-- than 64 KB is stored in parts; an event without a body has parts that its caller stores, `body_bytes` long.
-- Called by src/modules/events/service.ts, record_submissions, record_reports and receive_inbound.
CREATE OR REPLACE FUNCTION emit_events(given jsonb) RETURNS void
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
