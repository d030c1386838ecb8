ALTER TYPE "message_status" ADD VALUE 'scheduled';
ALTER TYPE "message_status" ADD VALUE 'cancelled';
ALTER TYPE "outcome_cause" ADD VALUE 'not_allowed';

ALTER TABLE "message" ADD COLUMN "send_at" TIMESTAMPTZ(3);

CREATE TABLE "scheduled_message" (
    "message_id" UUID NOT NULL,
    "admin_id" UUID NOT NULL,
    "is_transactional" BOOLEAN NOT NULL,
    "raw_bytes" INTEGER NOT NULL,
    "data_at" TIMESTAMPTZ(3),
    "lease_token" UUID,
    "next_attempt_at" TIMESTAMPTZ(3),

    CONSTRAINT "scheduled_message_pkey" PRIMARY KEY ("message_id")
);

CREATE INDEX "scheduled_message_next_attempt_at_idx" ON "scheduled_message"("next_attempt_at");

ALTER TABLE "scheduled_message" ADD CONSTRAINT "scheduled_message_message_id_fkey" FOREIGN KEY ("message_id")
  REFERENCES "message"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "scheduled_part" (
    "message_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "scheduled_part_pkey" PRIMARY KEY ("message_id", "position")
);

-- The bytes are compressed and encrypted.
ALTER TABLE "scheduled_part" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;

ALTER TABLE "scheduled_part" ADD CONSTRAINT "scheduled_part_message_id_fkey" FOREIGN KEY ("message_id")
  REFERENCES "scheduled_message"("message_id") ON DELETE CASCADE ON UPDATE CASCADE;
