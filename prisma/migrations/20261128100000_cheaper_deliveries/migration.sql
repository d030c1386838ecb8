-- The claim also returns what finds the event, so that endpoints and events are read once for all claims of them.
DROP FUNCTION claim_webhook_deliveries(integer, integer, integer, integer, uuid[], interval, uuid);

-- Leases due deliveries. Limits of attempts in flight over all instances, not counting tests: `per_endpoint` for `proven`
-- endpoints, `per_unproven` for others, 1 for failing ones. Endpoints take turns in random order. The second statement sees
-- leases committed before the locks were acquired. No JIT, because the planner overestimates the rows.
CREATE FUNCTION claim_webhook_deliveries(
  wanted integer, wanted_failing integer, per_endpoint integer, per_unproven integer, proven uuid[], lease interval,
  node uuid
) RETURNS TABLE (delivery_id uuid, token uuid, webhook uuid, event uuid, attempts integer, is_failing boolean)
LANGUAGE plpgsql
SET jit = off
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
  WITH room AS (
    SELECT w.id, w.failures_in_row > 0 AS failing,
           CASE WHEN w.failures_in_row > 0 THEN 1 WHEN w.id = ANY (proven) THEN per_endpoint ELSE per_unproven END - (
             SELECT count(*) FROM webhook_delivery d
              WHERE d.webhook_id = w.id AND d.lease_token IS NOT NULL AND d.next_attempt_at > now()
                AND NOT EXISTS (SELECT FROM event e WHERE e.id = d.event_id AND e.is_test)) AS free
      FROM webhook w WHERE w.id = ANY (endpoints)
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
