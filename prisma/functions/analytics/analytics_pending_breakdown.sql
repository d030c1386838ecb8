-- Shows the changes that aren't in analytics_breakdown yet, as the rows of it that they change.
-- Read by fold_analytics, analytics_rows and src/modules/analytics/sums.ts.
CREATE OR REPLACE VIEW analytics_pending_breakdown AS
SELECT c.id, d.domain_id, l.level, v.dimension, l.at, v.value, c.status, c.delta
  FROM analytics_change c,
       LATERAL (VALUES (c.domain_id), ('00000000-0000-0000-0000-000000000000'::uuid)) AS d(domain_id),
       LATERAL (VALUES ('hour'::analytics_level, date_trunc('hour', c.at, 'UTC')),
                       ('day', date_trunc('day', c.at, 'UTC'))) AS l(level, at),
       LATERAL (VALUES ('sender', left(c.sender, 254)), ('api_key', c.api_key_id::text),
                       ('recipient_domain', left(c.recipient_domain, 254)),
                       ('provider', CASE WHEN c.recipient_domain IS NOT NULL THEN mail_provider(c.recipient_domain) END),
                       ('smtp_code', c.smtp_code::text), ('category', c.category)
                UNION ALL SELECT 'tag', t.key || ':' || t.value FROM jsonb_each_text(c.tags) AS t) AS v(dimension, value)
 WHERE c.status NOT IN ('submitting', 'uncertain', 'scheduled', 'cancelled') AND c.direction = 'outbound' AND v.value IS NOT NULL
   AND d.domain_id IS NOT NULL;
