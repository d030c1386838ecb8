-- Records inbound mail: its rows by domain, their events, and that the deliveries which the log shows are reported. `given` is
-- what src/modules/messages/inbound/record.ts encodes. Returns one result per mail, in order: the rows that were stored, none if
-- the mail was recorded before, or null for mail that has rows already, with `skip_known`. The locks come first, in the order that
-- lockInbound takes them in, so the statements after them see what was recorded meanwhile.
-- A plan is kept while the tables grow, so it finds rows by their keys even where reading a small table would be quicker.
CREATE FUNCTION receive_inbound(given jsonb, skip_known boolean) RETURNS jsonb
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  mail jsonb;
  stored jsonb;
  marked integer;
  results jsonb := '[]';
  events jsonb := '[]';
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(key, 0))
     FROM (SELECT DISTINCT 'inbound ' || (each->>'queue_id') COLLATE "C" AS key FROM jsonb_array_elements(given) AS each ORDER BY 1) AS keys;

  FOR mail IN SELECT value FROM jsonb_array_elements(given) LOOP
    IF (skip_known OR mail->'deliveries' = 'null')
       AND EXISTS (SELECT FROM (SELECT * FROM message m WHERE m.queue_id = mail->>'queue_id' OFFSET 0) AS m WHERE m.direction = 'inbound') THEN
      results := results || CASE WHEN skip_known THEN jsonb 'null' ELSE jsonb '[[]]' END;
      CONTINUE;
    END IF;

    IF mail->'deliveries' <> 'null' THEN
      UPDATE inbound_delivery d SET reported_at = now()
        FROM jsonb_to_recordset(mail->'deliveries') AS shown(recipient text, addressed_to text)
       WHERE d.queue_id = mail->>'queue_id' AND d.recipient = shown.recipient AND d.addressed_to = shown.addressed_to
         AND d.reported_at IS NULL;
      GET DIAGNOSTICS marked = ROW_COUNT;
      IF marked = 0 THEN
        results := results || jsonb '[[]]';
        CONTINUE;
      ELSIF marked <> jsonb_array_length(mail->'deliveries') THEN
        RAISE 'another reader has reported some of these deliveries';
      END IF;
      UPDATE logged_mail SET raw = NULL WHERE queue_id = mail->>'queue_id' AND removed_at IS NOT NULL;
    END IF;

    SELECT coalesce(jsonb_agg(jsonb_build_object('domain_id', row->'domain_id', 'id', s.id, 'is_known', s.is_known)), '[]') INTO stored
      FROM jsonb_array_elements(mail->'rows') AS row CROSS JOIN LATERAL store_inbound(row) AS s;
    results := results || jsonb_build_array(stored);
    events := events || coalesce(
      (SELECT jsonb_agg(event || jsonb_build_object('message_row_id', (
                SELECT r->'id' FROM jsonb_array_elements(stored) AS r WHERE r->'domain_id' = event->'via_domain_id')) ORDER BY n)
         FROM jsonb_array_elements(mail->'events') WITH ORDINALITY AS e(event, n)), '[]');
  END LOOP;
  IF events <> '[]' THEN
    PERFORM emit_events(events);
  END IF;
  RETURN results;
END
$$;
