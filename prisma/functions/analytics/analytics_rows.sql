-- Returns all counts of a time range, as they are read: what is stored and what is pending.
-- Called by recount_analytics_day.
CREATE OR REPLACE FUNCTION analytics_rows(since timestamptz, until timestamptz) RETURNS TABLE (key text, count numeric)
LANGUAGE sql STABLE
AS $$
  SELECT key, sum(count) FROM (
    SELECT ROW('count', domain_id, level, at, direction, status)::text AS key, at, count FROM analytics_count
    UNION ALL
    SELECT ROW('count', domain_id, level, at, direction, status)::text, at, delta FROM analytics_pending_count
    UNION ALL
    SELECT ROW('delivery', domain_id, level, at, bin)::text, at, count FROM analytics_delivery
    UNION ALL
    SELECT ROW('delivery', domain_id, level, at, bin)::text, at, delta FROM analytics_pending_delivery
    UNION ALL
    SELECT ROW('breakdown', domain_id, level, dimension, at, value, status)::text, at, count FROM analytics_breakdown
    UNION ALL
    SELECT ROW('breakdown', domain_id, level, dimension, at, value, status)::text, at, delta FROM analytics_pending_breakdown
  ) AS r
   WHERE at >= since AND at < until GROUP BY key HAVING sum(count) <> 0
$$;
