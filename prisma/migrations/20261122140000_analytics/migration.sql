-- CreateEnum
CREATE TYPE "analytics_level" AS ENUM ('quarter', 'hour', 'day');

-- CreateTable
CREATE TABLE "analytics_change" (
    "id" BIGSERIAL NOT NULL,
    "delta" SMALLINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "domain_id" UUID,
    "direction" "direction" NOT NULL,
    "status" TEXT NOT NULL,
    "sender" TEXT,
    "api_key_id" UUID,
    "recipient_domain" TEXT,
    "smtp_code" INTEGER,
    "category" TEXT,
    "delivery_bin" SMALLINT,

    CONSTRAINT "analytics_change_pkey" PRIMARY KEY ("id")
);

-- Partitions, because rows of a day are few among those of its hours and quarters, and would each be in a page of their own.
-- CreateTable
CREATE TABLE "analytics_count" (
    "domain_id" UUID NOT NULL,
    "level" "analytics_level" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "direction" "direction" NOT NULL,
    "status" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "analytics_count_pkey" PRIMARY KEY ("domain_id","level","at","direction","status")
) PARTITION BY LIST ("level");
CREATE TABLE "analytics_count_quarter" PARTITION OF "analytics_count" FOR VALUES IN ('quarter');
CREATE TABLE "analytics_count_hour" PARTITION OF "analytics_count" FOR VALUES IN ('hour');
CREATE TABLE "analytics_count_day" PARTITION OF "analytics_count" FOR VALUES IN ('day');

-- CreateTable
CREATE TABLE "analytics_breakdown" (
    "domain_id" UUID NOT NULL,
    "level" "analytics_level" NOT NULL,
    "dimension" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "value" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "analytics_breakdown_pkey" PRIMARY KEY ("domain_id","level","dimension","at","value","status")
) PARTITION BY LIST ("level");
CREATE TABLE "analytics_breakdown_hour" PARTITION OF "analytics_breakdown" FOR VALUES IN ('hour');
CREATE TABLE "analytics_breakdown_day" PARTITION OF "analytics_breakdown" FOR VALUES IN ('day');

-- CreateTable
CREATE TABLE "analytics_delivery" (
    "domain_id" UUID NOT NULL,
    "level" "analytics_level" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "bin" SMALLINT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "analytics_delivery_pkey" PRIMARY KEY ("domain_id","level","at","bin")
) PARTITION BY LIST ("level");
CREATE TABLE "analytics_delivery_quarter" PARTITION OF "analytics_delivery" FOR VALUES IN ('quarter');
CREATE TABLE "analytics_delivery_hour" PARTITION OF "analytics_delivery" FOR VALUES IN ('hour');
CREATE TABLE "analytics_delivery_day" PARTITION OF "analytics_delivery" FOR VALUES IN ('day');

-- CreateIndex
CREATE INDEX "analytics_count_level_at_idx" ON "analytics_count"("level", "at");

-- Prisma can't express a partial index.
CREATE INDEX "analytics_breakdown_sender_idx" ON "analytics_breakdown"("domain_id", "value", "level", "at")
 WHERE "dimension" = 'sender';

-- Insert-only and emptied every second, so its dead rows are worth cleaning up early.
ALTER TABLE "analytics_change" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
                                    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000);

CREATE FUNCTION analytics_quarter(moment timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN date_bin('15 minutes', moment, '2000-01-01T00:00:00Z');

-- A failed outbound message without a queue id was never accepted.
CREATE FUNCTION analytics_status(status message_status, direction direction, queue_id text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN status = 'failed' AND direction = 'outbound' AND queue_id IS NULL THEN 'rejected' ELSE status::text END;

CREATE FUNCTION analytics_recipient_status(status message_status, cause outcome_cause) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN status = 'failed' AND cause IN ('rejected', 'not_submitted') THEN 'rejected' ELSE status::text END;

-- Bins are 5 % wide and start at 10 ms. least and greatest ignore null, so strict keeps a null null.
CREATE FUNCTION analytics_bin(took interval) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN least(400, floor(ln(greatest(extract(epoch FROM took), 0.01) / 0.01) / ln(1.05)))::smallint;

CREATE FUNCTION mail_provider(domain text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN domain IN ('gmail.com', 'googlemail.com') THEN 'Google'
  WHEN domain ~ '^(outlook|hotmail|live|msn|passport)(\.(com|co))?\.[a-z]{2,3}$' THEN 'Microsoft'
  WHEN domain ~ '^(yahoo|ymail|rocketmail|aol|aim)(\.(com|co))?\.[a-z]{2,3}$' THEN 'Yahoo'
  WHEN domain IN ('icloud.com', 'me.com', 'mac.com') THEN 'Apple'
  WHEN domain ~ '^gmx\.[a-z]{2,3}$' OR domain IN ('web.de', 'mail.com') THEN 'GMX and WEB.DE'
  WHEN domain IN ('t-online.de', 'magenta.de') THEN 'Telekom'
  WHEN domain IN ('proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me') THEN 'Proton'
  WHEN domain IN ('fastmail.com', 'fastmail.fm') THEN 'Fastmail'
  WHEN domain IN ('yandex.ru', 'yandex.com', 'ya.ru') THEN 'Yandex'
  WHEN domain IN ('mail.ru', 'bk.ru', 'inbox.ru', 'list.ru') THEN 'Mail.ru'
  WHEN domain IN ('qq.com', 'foxmail.com') THEN 'Tencent'
  WHEN domain IN ('163.com', '126.com', 'yeah.net') THEN 'NetEase'
  WHEN domain IN ('orange.fr', 'wanadoo.fr') THEN 'Orange'
  WHEN domain IN ('free.fr', 'laposte.net', 'sfr.fr', 'libero.it', 'comcast.net', 'zoho.com') THEN domain
  ELSE 'Other'
END;

-- What the messages and recipients that exist now count for. The triggers below write the same.
CREATE VIEW analytics_fact AS
SELECT 1::smallint AS delta, analytics_quarter(m.created_at) AS at, m.domain_id, m.direction,
       analytics_status(m.status, m.direction, m.queue_id) AS status,
       CASE WHEN m.direction = 'outbound' THEN lower(m.from_address) END AS sender, m.api_key_id,
       NULL::text AS recipient_domain, NULL::integer AS smtp_code, NULL::text AS category, NULL::smallint AS delivery_bin,
       m.created_at
  FROM message m
UNION ALL
SELECT 1::smallint, analytics_quarter(r.created_at), m.domain_id, m.direction,
       analytics_recipient_status(r.status, r.cause), NULL, NULL, split_part(r.address, '@', 2),
       CASE WHEN r.status <> 'sent' THEN r.smtp_code END, r.category, analytics_bin(r.delivered_at - r.created_at), m.created_at
  FROM message m JOIN message_recipient r ON r.message_id = m.id
 WHERE m.direction = 'outbound' AND r.status NOT IN ('submitting', 'uncertain');

CREATE FUNCTION count_new_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO analytics_change (delta, at, domain_id, direction, status, sender, api_key_id)
  SELECT 1, analytics_quarter(created_at), domain_id, direction, analytics_status(status, direction, queue_id),
         CASE WHEN direction = 'outbound' THEN lower(from_address) END, api_key_id
    FROM added;
  RETURN NULL;
END
$$;
CREATE TRIGGER message_counted AFTER INSERT ON "message" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_messages();

-- For each row, because a trigger for certain columns can't have transition tables.
CREATE FUNCTION recount_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO analytics_change (delta, at, domain_id, direction, status, sender, api_key_id)
  SELECT delta, analytics_quarter(OLD.created_at), OLD.domain_id, OLD.direction, status,
         CASE WHEN OLD.direction = 'outbound' THEN lower(OLD.from_address) END, OLD.api_key_id
    FROM (VALUES (-1, analytics_status(OLD.status, OLD.direction, OLD.queue_id)),
                 (1, analytics_status(NEW.status, NEW.direction, NEW.queue_id))) AS c(delta, status);
  RETURN NULL;
END
$$;
CREATE TRIGGER message_recounted AFTER UPDATE OF "status", "queue_id" ON "message"
  FOR EACH ROW WHEN (analytics_status(OLD.status, OLD.direction, OLD.queue_id)
                     <> analytics_status(NEW.status, NEW.direction, NEW.queue_id))
  EXECUTE FUNCTION recount_message();

CREATE FUNCTION count_new_recipients() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO analytics_change (delta, at, domain_id, direction, status, recipient_domain, smtp_code, category, delivery_bin)
  SELECT 1, analytics_quarter(r.created_at), m.domain_id, m.direction, analytics_recipient_status(r.status, r.cause),
         split_part(r.address, '@', 2), CASE WHEN r.status <> 'sent' THEN r.smtp_code END, r.category,
         analytics_bin(r.delivered_at - r.created_at)
    FROM added r JOIN message m ON m.id = r.message_id
   WHERE m.direction = 'outbound' AND r.status NOT IN ('submitting', 'uncertain');
  RETURN NULL;
END
$$;
CREATE TRIGGER message_recipient_counted AFTER INSERT ON "message_recipient" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_recipients();

CREATE FUNCTION recount_recipients() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO analytics_change (delta, at, domain_id, direction, status, recipient_domain, smtp_code, category, delivery_bin)
  SELECT c.delta, analytics_quarter(r.created_at), m.domain_id, m.direction, analytics_recipient_status(c.status, c.cause),
         split_part(r.address, '@', 2), CASE WHEN c.status <> 'sent' THEN c.smtp_code END, c.category,
         analytics_bin(c.delivered_at - r.created_at)
    FROM before o JOIN after r ON r.id = o.id JOIN message m ON m.id = r.message_id,
         LATERAL (VALUES (-1, o.status, o.cause, o.smtp_code, o.category, o.delivered_at),
                         (1, r.status, r.cause, r.smtp_code, r.category, r.delivered_at))
                 AS c(delta, status, cause, smtp_code, category, delivered_at)
   WHERE m.direction = 'outbound' AND c.status NOT IN ('submitting', 'uncertain')
     AND (o.status, o.cause, o.smtp_code, o.category, o.delivered_at)
         IS DISTINCT FROM (r.status, r.cause, r.smtp_code, r.category, r.delivered_at);
  RETURN NULL;
END
$$;
CREATE TRIGGER message_recipient_recounted AFTER UPDATE ON "message_recipient"
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION recount_recipients();

-- Changes that aren't in the counts yet, as the rows of each table that they change.
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

-- Adds changes to the counts and deletes them, in one transaction. Only one at a time: another call does nothing. Changes
-- are never updated, so each statement here sees the same ones.
CREATE FUNCTION fold_analytics(max_changes integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  max_values CONSTANT integer := 500;
  ids bigint[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(7203005) THEN RETURN 0; END IF;
  ids := ARRAY(SELECT id FROM analytics_change ORDER BY id LIMIT max_changes);
  IF cardinality(ids) = 0 THEN RETURN 0; END IF;

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
    SELECT direction, status, count(*) FROM analytics_change
     WHERE id = ANY (ids) AND delta > 0 AND recipient_domain IS NULL
     GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (direction, status) DO UPDATE SET count = t.count + excluded.count;
  END IF;

  DELETE FROM analytics_change WHERE id = ANY (ids);
  RETURN cardinality(ids);
END
$$;

-- All counts of a time range, as they are read.
CREATE FUNCTION analytics_rows(since timestamptz, until timestamptz) RETURNS TABLE (key text, count numeric)
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

-- Counts the messages of a UTC day again. Call it in a REPEATABLE READ transaction, with a session that holds the lock of
-- fold_analytics since before: what others commit meanwhile is a change that is folded later.
CREATE FUNCTION recount_analytics_day(given date) RETURNS integer
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
  INSERT INTO analytics_change (delta, at, domain_id, direction, status, sender, api_key_id, recipient_domain, smtp_code,
                                category, delivery_bin)
  SELECT delta, at, domain_id, direction, status, sender, api_key_id, recipient_domain, smtp_code, category, delivery_bin
    FROM analytics_fact WHERE created_at >= since AND created_at < until;
  WHILE fold_analytics(10000) > 0 LOOP END LOOP;
  PERFORM set_config('postroom.is_recounting', 'off', true);
  SELECT count(*) INTO differences
    FROM counted_before b FULL JOIN analytics_rows(since, until) a USING (key) WHERE a.count IS DISTINCT FROM b.count;
  RETURN differences;
END
$$;

-- Messages stored before this migration.
INSERT INTO analytics_change (delta, at, domain_id, direction, status, sender, api_key_id, recipient_domain, smtp_code,
                              category, delivery_bin)
SELECT delta, at, domain_id, direction, status, sender, api_key_id, recipient_domain, smtp_code, category, delivery_bin
  FROM analytics_fact;
