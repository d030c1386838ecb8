-- CreateEnum
CREATE TYPE "backup_trigger" AS ENUM ('schedule', 'request', 'command', 'found');

-- CreateEnum
CREATE TYPE "backup_status" AS ENUM ('running', 'completed', 'failed', 'missing');

-- CreateEnum
CREATE TYPE "backup_proof_state" AS ENUM ('none', 'proven', 'failed');

-- CreateEnum
CREATE TYPE "backup_action" AS ENUM ('create', 'verify', 'prove', 'preview', 'restore');

-- CreateEnum
CREATE TYPE "backup_operation_state" AS ENUM ('running', 'succeeded', 'failed', 'interrupted');

-- CreateTable
CREATE TABLE "backup" (
    "id" UUID NOT NULL,
    "trigger" "backup_trigger" NOT NULL,
    "status" "backup_status" NOT NULL DEFAULT 'running',
    "name" TEXT NOT NULL,
    "location" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "size_bytes" BIGINT,
    "checksum" TEXT,
    "version" TEXT,
    "rows" BIGINT,
    "due_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 1,
    "next_attempt_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "error" TEXT,
    "proof_state" "backup_proof_state" NOT NULL DEFAULT 'none',
    "proof_at" TIMESTAMPTZ(3),
    "proof_message" TEXT,

    CONSTRAINT "backup_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "backup_operation" (
    "id" UUID NOT NULL,
    "action" "backup_action" NOT NULL,
    "backup_id" UUID NOT NULL,
    "backup_name" TEXT NOT NULL,
    "domain_id" UUID,
    "state" "backup_operation_state" NOT NULL DEFAULT 'running',
    "progress_table" TEXT,
    "tables_done" INTEGER NOT NULL DEFAULT 0,
    "tables_total" INTEGER NOT NULL DEFAULT 0,
    "progress_rows" BIGINT NOT NULL DEFAULT 0,
    "progress_bytes" BIGINT NOT NULL DEFAULT 0,
    "result" JSONB,
    "message" TEXT,
    "requested_by_id" UUID,
    "requested_by_email" TEXT,
    "api_key_id" UUID,
    "request_id" UUID NOT NULL,
    "ip_address" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,
    "runner" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "lease_token" UUID NOT NULL,
    "leased_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "backup_operation_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "backup_due_at_key" ON "backup"("due_at");

-- CreateIndex
CREATE INDEX "backup_started_at_id_idx" ON "backup"("started_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "backup_location_name_key" ON "backup"("location", "name");

-- CreateIndex
CREATE INDEX "backup_operation_started_at_id_idx" ON "backup_operation"("started_at", "id");

-- CreateIndex
CREATE INDEX "backup_operation_backup_id_started_at_idx" ON "backup_operation"("backup_id", "started_at");

-- One operation at a time, over all instances and commands.
CREATE UNIQUE INDEX "backup_operation_one_unfinished" ON "backup_operation" ((true)) WHERE "finished_at" IS NULL;
