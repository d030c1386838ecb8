-- AlterTable
ALTER TABLE "message" ADD COLUMN     "batch_index" INTEGER,
ADD COLUMN     "idempotency_key_id" UUID;

-- CreateTable
CREATE TABLE "idempotency_key" (
    "id" UUID NOT NULL,
    "caller_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "token" UUID NOT NULL,
    "lease_until" TIMESTAMPTZ(3),
    "response" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "idempotency_key_caller_id_key_key" ON "idempotency_key"("caller_id", "key");

-- CreateIndex
CREATE UNIQUE INDEX "message_idempotency_key_id_batch_index_key" ON "message"("idempotency_key_id", "batch_index");

-- AddForeignKey
ALTER TABLE "message" ADD CONSTRAINT "message_idempotency_key_id_fkey" FOREIGN KEY ("idempotency_key_id") REFERENCES "idempotency_key"("id") ON DELETE SET NULL ON UPDATE CASCADE;


