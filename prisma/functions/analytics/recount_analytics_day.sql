-- Counts the messages of a UTC day again, and returns the number of counts that differed. Call it in a REPEATABLE READ
-- transaction, with a session that holds the lock of fold_analytics since before: what others commit meanwhile is a change
-- that is folded later.
-- Called by npm run rebuild-analytics.
CREATE OR REPLACE FUNCTION recount_analytics_day(given date) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  since CONSTANT timestamptz := given::timestamp AT TIME ZONE 'UTC';
  until CONSTANT timestamptz := since + interval '1 day';
  differences integer;
BEGIN
  CREATE TEMPORARY TABLE counted_before ON COMMIT DROP AS SELECT * FROM analytics_rows(since, until);
  WHILE fold_analytics(10000) > 0 LOOP END LOOP;
  PERFORM set_config('postroom.is_recounting', 'on', true);
  DELETE FROM analytics_count WHERE at >= since AND at < until;
  DELETE FROM analytics_delivery WHERE at >= since AND at < until;
  DELETE FROM analytics_breakdown WHERE at >= since AND at < until;
  INSERT INTO analytics_change (delta, at, domain_id, direction, status, sender, api_key_id, tags, recipient_domain, smtp_code,
                                category, delivery_bin)
  SELECT delta, at, domain_id, direction, status, sender, api_key_id, tags, recipient_domain, smtp_code, category, delivery_bin
    FROM analytics_fact WHERE created_at >= since AND created_at < until;
  WHILE fold_analytics(10000) > 0 LOOP END LOOP;
  PERFORM set_config('postroom.is_recounting', 'off', true);
  SELECT count(*) INTO differences
    FROM counted_before b FULL JOIN analytics_rows(since, until) a USING (key) WHERE a.count IS DISTINCT FROM b.count;
  RETURN differences;
END
$$;
