-- CreateEnum
CREATE TYPE "alert_kind" AS ENUM ('mailbox_suspended', 'rate_limited', 'volume_spike', 'wrong_passwords', 'dns_broken', 'content_store', 'system_down', 'system_degraded');

-- CreateEnum
CREATE TYPE "alert_severity" AS ENUM ('warning', 'critical');

-- CreateEnum
CREATE TYPE "alert_status" AS ENUM ('open', 'acknowledged', 'closed');

-- CreateTable
CREATE TABLE "counted_send" (
    "id" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "domain_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "counted_send_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "limited_send" (
    "id" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "domain_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "limited_send_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "abuse_threshold" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "mailbox_hourly" INTEGER NOT NULL DEFAULT 200,
    "domain_hourly" INTEGER NOT NULL DEFAULT 1000,
    "spike_factor" DOUBLE PRECISION NOT NULL DEFAULT 5,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "abuse_threshold_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert" (
    "id" UUID NOT NULL,
    "kind" "alert_kind" NOT NULL,
    "severity" "alert_severity" NOT NULL,
    "status" "alert_status" NOT NULL DEFAULT 'open',
    "subject" TEXT NOT NULL,
    "domain_id" UUID,
    "mailbox_id" UUID,
    "count" INTEGER NOT NULL,
    "expected" DOUBLE PRECISION NOT NULL,
    "text" TEXT NOT NULL DEFAULT '',
    "day" DATE,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "acknowledged_at" TIMESTAMPTZ(3),
    "closed_at" TIMESTAMPTZ(3),
    "is_resolved" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "alert_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "counted_send_address_at_idx" ON "counted_send"("address", "at");

-- CreateIndex
CREATE INDEX "counted_send_domain_id_at_idx" ON "counted_send"("domain_id", "at");

-- CreateIndex
CREATE INDEX "counted_send_at_idx" ON "counted_send"("at");

-- CreateIndex
CREATE INDEX "limited_send_at_idx" ON "limited_send"("at");

-- CreateIndex
CREATE INDEX "alert_created_at_id_idx" ON "alert"("created_at", "id");

-- CreateIndex
CREATE INDEX "alert_status_created_at_id_idx" ON "alert"("status", "created_at", "id");

-- CreateIndex
CREATE INDEX "alert_domain_id_created_at_id_idx" ON "alert"("domain_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "alert_mailbox_id_idx" ON "alert"("mailbox_id");

-- CreateIndex
CREATE UNIQUE INDEX "alert_kind_subject_day_key" ON "alert"("kind", "subject", "day");

-- AddForeignKey
ALTER TABLE "alert" ADD CONSTRAINT "alert_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert" ADD CONSTRAINT "alert_mailbox_id_fkey" FOREIGN KEY ("mailbox_id") REFERENCES "mailbox"("id") ON DELETE SET NULL ON UPDATE CASCADE;



INSERT INTO "abuse_threshold" ("id") VALUES (1);
ALTER TABLE "abuse_threshold" ADD CONSTRAINT "abuse_threshold_one_row" CHECK ("id" = 1);

-- Counts messages sent before this migration. A failed message without a queue id was rejected, so it isn't counted.
INSERT INTO "counted_send" ("id", "address", "domain_id", "at")
SELECT id, lower(from_address), domain_id, created_at FROM "message"
 WHERE direction = 'outbound' AND domain_id IS NOT NULL AND created_at > now() - interval '8 days'
   AND NOT (status = 'failed' AND queue_id IS NULL);

-- Counts one message, or returns the hourly limit that it exceeds. The lock makes this exact for concurrent messages of a
-- domain; it is held until the transaction ends, so keep that short. Each call is planned for its address, because a
-- generic plan may scan the whole table if a few addresses send most mail.
CREATE FUNCTION count_send(message uuid, sender text, sender_domain uuid, moment timestamptz)
RETURNS TABLE (result text, mailbox_id uuid, counted_from timestamptz, sent integer, allowed integer, free_at timestamptz)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  hour_ago CONSTANT timestamptz := moment - interval '1 hour';
  since timestamptz;
  box record;
  mailbox_limit integer;
  domain_limit integer;
BEGIN
  PERFORM pg_advisory_xact_lock(7203004, hashtext(sender_domain::text));
  SELECT t.mailbox_hourly, coalesce(d.hourly_send_limit, t.domain_hourly) INTO mailbox_limit, domain_limit
    FROM abuse_threshold t LEFT JOIN domain d ON d.id = sender_domain;
  SELECT m.id, m.suspended_at, m.rate_counted_from INTO box
    FROM mailbox m WHERE m.domain_id = sender_domain AND m.local_part = split_part(sender, '@', 1);
  mailbox_id := box.id;
  counted_from := box.rate_counted_from;
  IF box.suspended_at IS NOT NULL THEN
    result := 'suspended';
    RETURN NEXT;
    RETURN;
  END IF;

  allowed := mailbox_limit;
  since := coalesce(box.rate_counted_from, '-infinity');
  SELECT count(*) INTO sent FROM counted_send c WHERE c.address = sender AND c.at > hour_ago AND c.at >= since;
  IF sent >= allowed THEN
    result := 'address_limit';
    SELECT c.at + interval '1 hour' INTO free_at
      FROM counted_send c WHERE c.address = sender AND c.at > hour_ago AND c.at >= since
     ORDER BY c.at OFFSET sent - allowed LIMIT 1;
  ELSE
    allowed := domain_limit;
    SELECT count(*) INTO sent FROM counted_send c WHERE c.domain_id = sender_domain AND c.at > hour_ago;
    IF sent >= allowed THEN
      result := 'domain_limit';
      SELECT c.at + interval '1 hour' INTO free_at
        FROM counted_send c WHERE c.domain_id = sender_domain AND c.at > hour_ago
       ORDER BY c.at OFFSET sent - allowed LIMIT 1;
    ELSE
      result := 'counted';
    END IF;
  END IF;

  IF result = 'counted' THEN
    INSERT INTO counted_send (id, address, domain_id, at) VALUES (message, sender, sender_domain, moment);
  ELSE
    INSERT INTO limited_send (id, address, domain_id, at) VALUES (message, sender, sender_domain, moment);
  END IF;
  RETURN NEXT;
END
$$;

-- An alert about a lasting state, which has no day, is not opened again while it is open or acknowledged.
CREATE UNIQUE INDEX "alert_lasting_key" ON "alert"("kind", "subject") WHERE "day" IS NULL AND "status" <> 'closed';
