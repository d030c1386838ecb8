-- Shows what the messages and recipients that exist now count for. The triggers in prisma/functions/counting write the same.
-- Read by recount_analytics_day.
CREATE OR REPLACE VIEW analytics_fact AS
SELECT 1::smallint AS delta, analytics_quarter(m.created_at) AS at, m.domain_id, m.direction,
       analytics_status(m.status, m.direction, m.queue_id) AS status,
       CASE WHEN m.direction = 'outbound' THEN lower(m.from_address) END AS sender, m.api_key_id,
       NULL::text AS recipient_domain, NULL::integer AS smtp_code, NULL::text AS category, NULL::smallint AS delivery_bin,
       m.created_at, m.tags
  FROM message m
UNION ALL
SELECT 1::smallint, analytics_quarter(r.created_at), m.domain_id, m.direction,
       analytics_recipient_status(r.status, r.cause), NULL, NULL, split_part(r.address, '@', 2),
       CASE WHEN r.status <> 'sent' THEN r.smtp_code END, r.category, analytics_bin(r.delivered_at - r.created_at), m.created_at,
       NULL
  FROM message m JOIN message_recipient r ON r.message_id = m.id
 WHERE m.direction = 'outbound' AND r.status NOT IN ('submitting', 'uncertain', 'scheduled', 'cancelled');
