-- What a statement changes in the same way is one row, with the number of changes. A send made eight rows, each of which was
-- inserted, added up and deleted. The type of a column can't change while views have it: these are made again as they were.
DROP VIEW analytics_pending_count;
DROP VIEW analytics_pending_breakdown;
DROP VIEW analytics_pending_delivery;
ALTER TABLE "analytics_change" ALTER COLUMN "delta" TYPE INTEGER;

CREATE VIEW analytics_pending_count AS
SELECT c.id, d.domain_id, l.level, l.at, c.direction, c.status, c.delta
  FROM analytics_change c,
       LATERAL (VALUES (c.domain_id), ('00000000-0000-0000-0000-000000000000'::uuid)) AS d(domain_id),
       LATERAL (VALUES ('quarter'::analytics_level, c.at), ('hour', date_trunc('hour', c.at, 'UTC')),
                       ('day', date_trunc('day', c.at, 'UTC'))) AS l(level, at)
 WHERE c.recipient_domain IS NULL AND d.domain_id IS NOT NULL;

CREATE VIEW analytics_pending_breakdown AS
SELECT c.id, d.domain_id, l.level, v.dimension, l.at, left(v.value, 254) AS value, c.status, c.delta
  FROM analytics_change c,
       LATERAL (VALUES (c.domain_id), ('00000000-0000-0000-0000-000000000000'::uuid)) AS d(domain_id),
       LATERAL (VALUES ('hour'::analytics_level, date_trunc('hour', c.at, 'UTC')),
                       ('day', date_trunc('day', c.at, 'UTC'))) AS l(level, at),
       LATERAL (VALUES ('sender', c.sender), ('api_key', c.api_key_id::text), ('recipient_domain', c.recipient_domain),
                       ('provider', CASE WHEN c.recipient_domain IS NOT NULL THEN mail_provider(c.recipient_domain) END),
                       ('smtp_code', c.smtp_code::text), ('category', c.category)) AS v(dimension, value)
 WHERE c.status NOT IN ('submitting', 'uncertain') AND c.direction = 'outbound' AND v.value IS NOT NULL
   AND d.domain_id IS NOT NULL;

CREATE VIEW analytics_pending_delivery AS
SELECT c.id, d.domain_id, l.level, l.at, c.delivery_bin AS bin, c.delta
  FROM analytics_change c,
       LATERAL (VALUES (c.domain_id), ('00000000-0000-0000-0000-000000000000'::uuid)) AS d(domain_id),
       LATERAL (VALUES ('quarter'::analytics_level, c.at), ('hour', date_trunc('hour', c.at, 'UTC')),
                       ('day', date_trunc('day', c.at, 'UTC'))) AS l(level, at)
 WHERE c.delivery_bin IS NOT NULL AND d.domain_id IS NOT NULL;

CREATE OR REPLACE FUNCTION count_new_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO analytics_change (delta, at, domain_id, direction, status, sender, api_key_id)
  SELECT count(*), analytics_quarter(created_at) AS at, domain_id, direction, analytics_status(status, direction, queue_id) AS status,
         CASE WHEN direction = 'outbound' THEN lower(from_address) END AS sender, api_key_id
    FROM added GROUP BY 2, 3, 4, 5, 6, 7;
  RETURN NULL;
END
$$;

-- What a message leaves and enters are rows of their own, even if another enters what it leaves: message_total counts what they
-- have ever entered.
CREATE FUNCTION recount_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO analytics_change (delta, at, domain_id, direction, status, sender, api_key_id)
  SELECT sum(delta), analytics_quarter(created_at), domain_id, direction, status,
         CASE WHEN direction = 'outbound' THEN lower(from_address) END AS sender, api_key_id
    FROM (SELECT sum(delta) AS delta, created_at, domain_id, direction, analytics_status(status, direction, queue_id) AS status,
                 from_address, api_key_id
            FROM (SELECT -1 AS delta, * FROM before UNION ALL SELECT 1, * FROM after) AS m
           GROUP BY id, 2, 3, 4, 5, 6, 7 HAVING sum(delta) <> 0) AS changed
   GROUP BY sign(delta), 2, 3, 4, 5, 6, 7;
  RETURN NULL;
END
$$;
DROP TRIGGER message_recounted ON "message";
DROP FUNCTION recount_message();
CREATE TRIGGER message_recounted AFTER UPDATE ON "message"
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION recount_messages();

-- Each recipient finds its message by the key: the plan is kept while the tables grow, and one with a join read all messages.
CREATE OR REPLACE FUNCTION count_new_recipients() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off
AS $$
BEGIN
  INSERT INTO analytics_change (delta, at, domain_id, direction, status, recipient_domain, smtp_code, category, delivery_bin)
  SELECT count(*), analytics_quarter(r.created_at) AS at, m.domain_id, m.direction,
         analytics_recipient_status(r.status, r.cause) AS status, split_part(r.address, '@', 2) AS recipient_domain,
         CASE WHEN r.status <> 'sent' THEN r.smtp_code END AS smtp_code, r.category,
         analytics_bin(r.delivered_at - r.created_at) AS delivery_bin
    FROM added r, LATERAL (SELECT domain_id, direction FROM message WHERE id = r.message_id OFFSET 0) AS m
   WHERE m.direction = 'outbound' AND r.status NOT IN ('submitting', 'uncertain')
   GROUP BY 2, 3, 4, 5, 6, 7, 8, 9;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION recount_recipients() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off
AS $$
BEGIN
  INSERT INTO analytics_change (delta, at, domain_id, direction, status, recipient_domain, smtp_code, category, delivery_bin)
  SELECT sum(r.delta), analytics_quarter(r.created_at) AS at, m.domain_id, m.direction,
         analytics_recipient_status(r.status, r.cause) AS status, split_part(r.address, '@', 2) AS recipient_domain,
         CASE WHEN r.status <> 'sent' THEN r.smtp_code END AS smtp_code, r.category,
         analytics_bin(r.delivered_at - r.created_at) AS delivery_bin
    FROM (SELECT -1 AS delta, * FROM before UNION ALL SELECT 1, * FROM after) AS r,
         LATERAL (SELECT domain_id, direction FROM message WHERE id = r.message_id OFFSET 0) AS m
   WHERE m.direction = 'outbound' AND r.status NOT IN ('submitting', 'uncertain')
   GROUP BY 2, 3, 4, 5, 6, 7, 8, 9 HAVING sum(r.delta) <> 0;
  RETURN NULL;
END
$$;
