-- Claims counted the attempts in flight per endpoint: for each, they visited every delivery that was finished since the last
-- vacuum, and read all events. Now they are counted once for all endpoints, by the index of leased deliveries. A scalar subquery
-- can't become a join that reads all events.
CREATE OR REPLACE FUNCTION claim_webhook_deliveries(
  wanted integer, wanted_failing integer, per_endpoint integer, per_unproven integer, proven uuid[], lease interval,
  node uuid
) RETURNS TABLE (delivery_id uuid, token uuid, webhook uuid, event uuid, attempts integer, is_failing boolean)
LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
  endpoints uuid[];
BEGIN
  SELECT array_agg(locked.id) INTO endpoints
    FROM (SELECT w.id FROM webhook w
           WHERE w.active AND EXISTS (
                   SELECT FROM webhook_delivery d WHERE d.webhook_id = w.id AND d.next_attempt_at <= now())
             FOR NO KEY UPDATE SKIP LOCKED) locked;
  IF endpoints IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH leased AS (
    SELECT d.webhook_id, count(*) AS attempts FROM webhook_delivery d
     WHERE d.lease_token IS NOT NULL AND d.next_attempt_at > now()
       AND NOT (SELECT e.is_test FROM event e WHERE e.id = d.event_id)
     GROUP BY d.webhook_id
  ), room AS (
    SELECT w.id, w.failures_in_row > 0 AS failing,
           CASE WHEN w.failures_in_row > 0 THEN 1 WHEN w.id = ANY (proven) THEN per_endpoint ELSE per_unproven END
             - coalesce(leased.attempts, 0) AS free
      FROM webhook w LEFT JOIN leased ON leased.webhook_id = w.id
     WHERE w.id = ANY (endpoints)
  ), due AS (
    SELECT found.id, found.turn, room.failing
      FROM room CROSS JOIN LATERAL (
        SELECT d.id, row_number() OVER (ORDER BY d.next_attempt_at) AS turn FROM webhook_delivery d
         WHERE d.webhook_id = room.id AND d.next_attempt_at <= now()
         ORDER BY d.next_attempt_at LIMIT greatest(room.free, 0)) found
  ), chosen AS (
    (SELECT id, failing FROM due WHERE NOT failing ORDER BY turn, random() LIMIT wanted)
    UNION ALL
    (SELECT id, failing FROM due WHERE failing ORDER BY random() LIMIT wanted_failing)
  ), free AS (
    SELECT d.id, chosen.failing FROM webhook_delivery d JOIN chosen ON chosen.id = d.id
     WHERE d.next_attempt_at <= now()
       FOR UPDATE OF d SKIP LOCKED
  )
  UPDATE webhook_delivery d SET lease_token = gen_random_uuid(), lease_node = node, next_attempt_at = now() + lease
    FROM free WHERE d.id = free.id
  RETURNING d.id, d.lease_token, d.webhook_id, d.event_id, d.attempt_count, free.failing;
END
$$;

-- An index entry of several rows can't be marked as dead while one of them is alive, so each claim visited them again.
DROP INDEX webhook_delivery_due_idx;
CREATE INDEX webhook_delivery_due_idx ON webhook_delivery (webhook_id, next_attempt_at)
  WITH (deduplicate_items = off) WHERE next_attempt_at IS NOT NULL;
DROP INDEX webhook_delivery_leased_idx;
CREATE INDEX webhook_delivery_leased_idx ON webhook_delivery (webhook_id)
  WITH (deduplicate_items = off) WHERE lease_token IS NOT NULL;
