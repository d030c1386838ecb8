-- CreateEnum
CREATE TYPE "operation_state" AS ENUM ('queued', 'running', 'succeeded', 'failed', 'rolled_back', 'interrupted');

-- CreateEnum
CREATE TYPE "mail_service_state" AS ENUM ('running', 'not_responding', 'stopped');

-- CreateTable
CREATE TABLE "operation" (
    "id" UUID NOT NULL,
    "host" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "lane" TEXT NOT NULL DEFAULT 'services',
    "service" TEXT,
    "dry_run" BOOLEAN NOT NULL,
    "input" JSONB,
    "state" "operation_state" NOT NULL DEFAULT 'queued',
    "message" TEXT,
    "requested_by_id" UUID,
    "requested_by_email" TEXT,
    "api_key_id" UUID,
    "request_id" UUID NOT NULL,
    "ip_address" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "lease_token" UUID,
    "leased_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "operation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operation_line" (
    "operation_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "operation_line_pkey" PRIMARY KEY ("operation_id","number")
);

-- CreateTable
CREATE TABLE "mail_service" (
    "host" TEXT NOT NULL,
    "service" TEXT NOT NULL,
    "state" "mail_service_state" NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "message" TEXT NOT NULL,
    "version" TEXT,
    "process_id" INTEGER,
    "started_at" TIMESTAMPTZ(3),
    "drift" JSONB,
    "drift_message" TEXT NOT NULL,
    "checked_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mail_service_pkey" PRIMARY KEY ("host","service")
);

-- CreateIndex
CREATE INDEX "operation_created_at_id_idx" ON "operation"("created_at", "id");

-- CreateIndex
CREATE INDEX "operation_host_service_created_at_idx" ON "operation"("host", "service", "created_at");

-- AddForeignKey
ALTER TABLE "operation_line" ADD CONSTRAINT "operation_line_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "operation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One operation at a time in each lane, over all instances and mail servers.
CREATE UNIQUE INDEX "operation_one_unfinished" ON "operation" ("lane") WHERE "finished_at" IS NULL;
