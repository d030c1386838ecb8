-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'retrying', 'delivered', 'abandoned');

-- AlterEnum
ALTER TYPE "alert_kind" ADD VALUE 'webhook_failing';

-- AlterTable
ALTER TABLE "event" ADD COLUMN     "body_bytes" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "is_test" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "message_row_id" UUID,
ADD COLUMN     "recipient" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "sequence" BIGINT,
ALTER COLUMN "body" DROP NOT NULL;

-- CreateTable
CREATE TABLE "webhook" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "domain_id" UUID,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "secret" BYTEA NOT NULL,
    "previous_secret" BYTEA,
    "previous_secret_until" TIMESTAMPTZ(3),
    "created_by" UUID NOT NULL,
    "failures_in_row" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event_part" (
    "event_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "event_part_pkey" PRIMARY KEY ("event_id","position")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "failure_count" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "lease_token" UUID,
    "lease_node" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempt" (
    "delivery_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "status_code" INTEGER,
    "failure" TEXT,
    "answer" TEXT NOT NULL DEFAULT '',
    "remote_address" TEXT,

    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("delivery_id","number")
);

-- CreateIndex
CREATE INDEX "webhook_created_at_id_idx" ON "webhook"("created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_domain_id_created_at_id_idx" ON "webhook"("domain_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_created_at_id_idx" ON "webhook_delivery"("webhook_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_status_created_at_id_idx" ON "webhook_delivery"("webhook_id", "status", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_event_id_webhook_id_key" ON "webhook_delivery"("event_id", "webhook_id");

-- CreateIndex
CREATE UNIQUE INDEX "event_sequence_key" ON "event"("sequence");

-- CreateIndex
CREATE INDEX "event_domain_id_sequence_idx" ON "event"("domain_id", "sequence");

-- CreateIndex
CREATE INDEX "event_message_row_id_idx" ON "event"("message_row_id");

-- AddForeignKey
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event_part" ADD CONSTRAINT "event_part_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;

UPDATE "event" SET body_bytes = octet_length(body);
ALTER TABLE "event" ALTER COLUMN "body_bytes" DROP DEFAULT;

-- Partial indexes, which Prisma's schema can't express: due deliveries and attempts in flight by webhook, stored content of
-- received mail, and events without a sequence number.
CREATE INDEX "webhook_delivery_due_idx" ON "webhook_delivery"("webhook_id", "next_attempt_at") WHERE next_attempt_at IS NOT NULL;
CREATE INDEX "webhook_delivery_leased_idx" ON "webhook_delivery"("webhook_id") WHERE lease_token IS NOT NULL;
CREATE INDEX "event_content_idx" ON "event"("created_at") WHERE type = 'mail.received.full' AND body_bytes > 0;
CREATE INDEX "event_unsequenced_idx" ON "event"("id") WHERE sequence IS NULL AND NOT is_test;

-- Uncompressed, because long bodies are mostly base64, which compresses poorly.
ALTER TABLE "event_part" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;

-- Frequent vacuums, because every attempt leaves a dead row at the start of the index that the next claim reads.
ALTER TABLE "webhook_delivery" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);

-- RFC 9562. Built into Postgres from version 18.
CREATE FUNCTION uuid_v7() RETURNS uuid
LANGUAGE sql VOLATILE
AS $$
  SELECT encode(set_bit(set_bit(
           overlay(uuid_send(gen_random_uuid())
             PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
           52, 1), 53, 1), 'hex')::uuid
$$;

-- Leases due deliveries. Limits of attempts in flight over all instances, not counting tests: `per_endpoint` for `proven`
-- endpoints, `per_unproven` for others, 1 for failing ones. Endpoints take turns in random order. The second statement sees
-- leases committed before the locks were acquired. No JIT, because the planner overestimates the rows.
CREATE FUNCTION claim_webhook_deliveries(
  wanted integer, wanted_failing integer, per_endpoint integer, per_unproven integer, proven uuid[], lease interval,
  node uuid
) RETURNS TABLE (delivery_id uuid, token uuid, webhook uuid, is_failing boolean)
LANGUAGE plpgsql
SET jit = off
AS $$
DECLARE
  endpoints uuid[];
BEGIN
  SELECT array_agg(locked.id) INTO endpoints
    FROM (SELECT w.id FROM webhook w
           WHERE w.active AND EXISTS (
                   SELECT FROM webhook_delivery d WHERE d.webhook_id = w.id AND d.next_attempt_at <= now())
             FOR NO KEY UPDATE SKIP LOCKED) locked;
  IF endpoints IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH room AS (
    SELECT w.id, w.failures_in_row > 0 AS failing,
           CASE WHEN w.failures_in_row > 0 THEN 1 WHEN w.id = ANY (proven) THEN per_endpoint ELSE per_unproven END - (
             SELECT count(*) FROM webhook_delivery d
              WHERE d.webhook_id = w.id AND d.lease_token IS NOT NULL AND d.next_attempt_at > now()
                AND NOT EXISTS (SELECT FROM event e WHERE e.id = d.event_id AND e.is_test)) AS free
      FROM webhook w WHERE w.id = ANY (endpoints)
  ), due AS (
    SELECT found.id, found.turn, room.failing
      FROM room CROSS JOIN LATERAL (
        SELECT d.id, row_number() OVER (ORDER BY d.next_attempt_at) AS turn FROM webhook_delivery d
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
  RETURNING d.id, d.lease_token, d.webhook_id, free.failing;
END
$$;

-- Numbers committed events in one order for all readers, so that a reader never misses an event: only one caller at a time
-- assigns numbers, and events of open transactions get later ones.
CREATE SEQUENCE event_sequence AS bigint;
CREATE FUNCTION sequence_events(at_once integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  placed integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('sequence_events')) THEN
    RETURN 0;
  END IF;
  UPDATE event SET sequence = next.sequence
    FROM (SELECT waiting.id, nextval('event_sequence') AS sequence
            FROM (SELECT e.id FROM event e WHERE e.sequence IS NULL AND NOT e.is_test ORDER BY e.id LIMIT at_once) waiting
         ) next
   WHERE event.id = next.id;
  GET DIAGNOSTICS placed = ROW_COUNT;
  RETURN placed;
END
$$;
