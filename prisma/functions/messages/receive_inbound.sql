-- Records inbound mail: its rows by domain, their events, and that the deliveries which the log shows are reported. `given`
-- is what src/modules/messages/inbound/record.ts encodes. Returns one result per mail, in order: the rows that were stored,
-- none if the mail was recorded before, or null for mail that has rows already, with `skip_known`. The locks come first, in
-- the order that lockInbound takes them in, so the statements after them see what was recorded meanwhile.
-- Called by src/modules/messages/inbound/record.ts.
--
-- Planner settings: the plan is kept while the tables grow, so it finds rows by their keys even where reading a small table
-- would be quicker. A plan for the values of its arrays looks cheaper than a kept one, and planning takes longer than
-- running it.
CREATE OR REPLACE FUNCTION receive_inbound(given jsonb, skip_known boolean) RETURNS jsonb
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  skipped bigint[];
  recorded bigint[];
  is_contested boolean;
  stored jsonb;
  events jsonb;
BEGIN
  PERFORM pg_advisory_xact_lock(7203012, hash)
     FROM (SELECT DISTINCT hashtext(each->>'queue_id') AS hash FROM jsonb_array_elements(given) AS each ORDER BY hash) AS hashes;

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
