-- Leases due deliveries. Limits of attempts in flight over all instances, not counting tests: `per_endpoint` for `proven`
-- endpoints, `per_unproven` for others, 1 for failing ones. Endpoints take turns in random order. Claims take turns, too, so
-- that each counts the leases of those before.
-- Called by src/modules/webhooks/delivery/claim.ts.
--
-- Planner settings: plans are kept while the tables grow; without joins and scans that read a whole table, they stay good.
-- Leases are counted once for all endpoints, by their index: OFFSET 0 keeps the planner from the index of what is due, and a
-- scalar subquery can't become a join that reads all events. The turns are counted by ROWS: Postgres 15 otherwise reads all
-- deliveries that are due at the same time as the last one.
CREATE OR REPLACE FUNCTION claim_webhook_deliveries(
  wanted integer, wanted_failing integer, per_endpoint integer, per_unproven integer, proven uuid[], lease interval,
  node uuid
) RETURNS TABLE (delivery_id uuid, token uuid, webhook uuid, event uuid, attempts integer, is_failing boolean)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  max_endpoints CONSTANT integer := 1000;
BEGIN
  PERFORM pg_advisory_xact_lock(7203021);
  RETURN QUERY
  WITH leased AS (
    SELECT webhook_id, count(*) AS attempts
      FROM (SELECT webhook_id, event_id, next_attempt_at FROM webhook_delivery WHERE lease_token IS NOT NULL OFFSET 0) AS held
     WHERE next_attempt_at > now() AND (SELECT e.is_test FROM event e WHERE e.id = held.event_id) IS NOT TRUE
     GROUP BY webhook_id
  ), endpoint AS (
    SELECT id, failing
      FROM (SELECT w.id, w.failures_in_row > 0 AS failing,
                   row_number() OVER (PARTITION BY w.failures_in_row > 0 ORDER BY random()) AS place
              FROM webhook w
             WHERE w.active AND EXISTS (
                     SELECT FROM webhook_delivery d WHERE d.webhook_id = w.id AND d.next_attempt_at <= now())) AS waiting
     WHERE place <= max_endpoints
  ), room AS (
    SELECT id, failing,
           CASE WHEN failing THEN 1 WHEN id = ANY (proven) THEN per_endpoint ELSE per_unproven END
             - coalesce(leased.attempts, 0) AS free
      FROM endpoint LEFT JOIN leased ON leased.webhook_id = id
  ), due AS (
    SELECT found.id, found.turn, room.failing
      FROM room CROSS JOIN LATERAL (
        SELECT d.id, row_number() OVER (ORDER BY d.next_attempt_at ROWS UNBOUNDED PRECEDING) AS turn FROM webhook_delivery d
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
