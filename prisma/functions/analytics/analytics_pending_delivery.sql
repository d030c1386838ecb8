-- Shows the changes that aren't in analytics_delivery yet, as the rows of it that they change.
-- Read by fold_analytics, analytics_rows and src/modules/analytics/sums.ts.
CREATE OR REPLACE VIEW analytics_pending_delivery AS
SELECT c.id, d.domain_id, l.level, l.at, c.delivery_bin AS bin, c.delta
  FROM analytics_change c,
       LATERAL (VALUES (c.domain_id), ('00000000-0000-0000-0000-000000000000'::uuid)) AS d(domain_id),
       LATERAL (VALUES ('quarter'::analytics_level, c.at), ('hour', date_trunc('hour', c.at, 'UTC')),
                       ('day', date_trunc('day', c.at, 'UTC'))) AS l(level, at)
 WHERE c.delivery_bin IS NOT NULL AND d.domain_id IS NOT NULL;
