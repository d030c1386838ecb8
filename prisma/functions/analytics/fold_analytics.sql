-- Adds changes to the counts and deletes them, in one transaction. Returns how many were added. Only one call at a time does
-- it: another one returns 0. Changes that count the same are added up first, because each is a row of many counts.
-- Called by src/modules/analytics/counting/fold.ts, recount_analytics_day and npm run rebuild-analytics.
CREATE OR REPLACE FUNCTION fold_analytics(max_changes integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  max_values CONSTANT integer := 500;
  ids bigint[];
  folded integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7203005) THEN RETURN 0; END IF;
  ids := ARRAY(SELECT id FROM analytics_change ORDER BY id LIMIT max_changes);
  folded := cardinality(ids);
  IF folded = 0 THEN RETURN 0; END IF;

  WITH gone AS (
    DELETE FROM analytics_change WHERE id = ANY (ids) RETURNING *
  ), added AS (
    INSERT INTO analytics_change (delta, at, domain_id, direction, status, sender, api_key_id, tags, recipient_domain, smtp_code,
                                  category, delivery_bin)
    SELECT sum(delta), at, domain_id, direction, status, sender, api_key_id, tags, recipient_domain, smtp_code, category,
           delivery_bin
      FROM gone GROUP BY sign(delta), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
    RETURNING id
  )
  SELECT array_agg(id) INTO ids FROM added;

  INSERT INTO analytics_count AS c (domain_id, level, at, direction, status, count)
  SELECT domain_id, level, at, direction, status, sum(delta)
    FROM analytics_pending_count WHERE id = ANY (ids)
   GROUP BY 1, 2, 3, 4, 5 HAVING sum(delta) <> 0 ORDER BY 1, 2, 3, 4, 5
      ON CONFLICT (domain_id, level, at, direction, status) DO UPDATE SET count = c.count + excluded.count;

  INSERT INTO analytics_delivery AS c (domain_id, level, at, bin, count)
  SELECT domain_id, level, at, bin, sum(delta)
    FROM analytics_pending_delivery WHERE id = ANY (ids)
   GROUP BY 1, 2, 3, 4 HAVING sum(delta) <> 0 ORDER BY 1, 2, 3, 4
      ON CONFLICT (domain_id, level, at, bin) DO UPDATE SET count = c.count + excluded.count;

  -- A value that isn't stored while there is room is counted as empty, and so are all later changes of it: the number of
  -- stored values never falls.
  WITH changed AS (
    SELECT domain_id, level, dimension, at, value, status, sum(delta) AS delta,
           sum(abs(sum(delta))) OVER (PARTITION BY domain_id, level, dimension, at, value) AS size
      FROM analytics_pending_breakdown WHERE id = ANY (ids)
     GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(delta) <> 0
  ), looked_up AS (
    SELECT v.*, EXISTS (SELECT FROM analytics_breakdown b
                         WHERE b.domain_id = v.domain_id AND b.level = v.level AND b.dimension = v.dimension
                           AND b.at = v.at AND b.value = v.value) AS is_stored
      FROM changed v
  ), ranked AS (
    SELECT *, dense_rank() OVER (PARTITION BY domain_id, level, dimension, at, is_stored ORDER BY size DESC, value) AS rank
      FROM looked_up
  ), kept AS (
    SELECT v.domain_id, v.level, v.dimension, v.at, v.status, v.delta,
           CASE WHEN v.is_stored OR v.rank <= max_values - s.count THEN v.value ELSE '' END AS value
      FROM ranked v
      LEFT JOIN LATERAL (SELECT count(DISTINCT b.value) FROM analytics_breakdown b
                          WHERE b.domain_id = v.domain_id AND b.level = v.level AND b.dimension = v.dimension
                            AND b.at = v.at AND b.value <> '') AS s ON NOT v.is_stored
  )
  INSERT INTO analytics_breakdown AS c (domain_id, level, dimension, at, value, status, count)
  SELECT domain_id, level, dimension, at, value, status, sum(delta) FROM kept
   GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
      ON CONFLICT (domain_id, level, dimension, at, value, status) DO UPDATE SET count = c.count + excluded.count;

  -- Counted again, messages reach no status that they had not reached before.
  IF current_setting('postroom.is_recounting', true) IS DISTINCT FROM 'on' THEN
    INSERT INTO message_total AS t (direction, status, count)
    SELECT direction, status, sum(delta) FROM analytics_change
     WHERE id = ANY (ids) AND delta > 0 AND recipient_domain IS NULL
     GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (direction, status) DO UPDATE SET count = t.count + excluded.count;
  END IF;

  DELETE FROM analytics_change WHERE id = ANY (ids);
  RETURN folded;
END
$$;
