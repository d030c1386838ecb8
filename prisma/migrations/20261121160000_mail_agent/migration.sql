-- CreateEnum
CREATE TYPE "dkim_algorithm" AS ENUM ('rsa-2048', 'ed25519');

-- CreateEnum
CREATE TYPE "dkim_status" AS ENUM ('pending', 'active', 'retired');

-- CreateEnum
CREATE TYPE "sieve_scope" AS ENUM ('global', 'domain', 'mailbox');

-- CreateTable
CREATE TABLE "dkim_key" (
    "id" UUID NOT NULL,
    "domain_id" UUID NOT NULL,
    "selector" TEXT NOT NULL,
    "algorithm" "dkim_algorithm" NOT NULL,
    "status" "dkim_status" NOT NULL,
    "private_key" BYTEA NOT NULL,
    "public_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "activated_at" TIMESTAMPTZ(3),
    "retired_at" TIMESTAMPTZ(3),
    "published_at" TIMESTAMPTZ(3),

    CONSTRAINT "dkim_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mail_agent" (
    "host" TEXT NOT NULL,
    "instance" UUID NOT NULL,
    "version" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "beat_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mail_agent_pkey" PRIMARY KEY ("host")
);

-- CreateTable
CREATE TABLE "mail_request" (
    "id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "input" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "claimed_by" UUID,
    "claimed_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "answer" JSONB,

    CONSTRAINT "mail_request_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mail_cursor" (
    "source" TEXT NOT NULL,
    "file" TEXT NOT NULL,
    "position" TEXT NOT NULL,
    "complete_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mail_cursor_pkey" PRIMARY KEY ("source")
);

-- CreateTable
CREATE TABLE "logged_mail" (
    "queue_id" TEXT NOT NULL,
    "message_id" TEXT,
    "login" TEXT,
    "client_address" TEXT,
    "mail_from" TEXT,
    "size_bytes" INTEGER,
    "verdict" JSONB,
    "raw" BYTEA,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "logged_mail_pkey" PRIMARY KEY ("queue_id")
);

-- CreateTable
CREATE TABLE "inbound_delivery" (
    "queue_id" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "addressed_to" TEXT NOT NULL,
    "is_forwarded" BOOLEAN NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "reported_at" TIMESTAMPTZ(3),

    CONSTRAINT "inbound_delivery_pkey" PRIMARY KEY ("queue_id","recipient","addressed_to")
);

-- CreateTable
CREATE TABLE "sieve_filter" (
    "id" UUID NOT NULL,
    "scope" "sieve_scope" NOT NULL,
    "domain_id" UUID,
    "mailbox_id" UUID,
    "name" TEXT NOT NULL,
    "script" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "position" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sieve_filter_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "dkim_key_domain_id_created_at_id_idx" ON "dkim_key"("domain_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "dkim_key_domain_id_selector_key" ON "dkim_key"("domain_id", "selector");

-- CreateIndex
CREATE INDEX "mail_request_created_at_idx" ON "mail_request"("created_at");

-- CreateIndex
CREATE INDEX "logged_mail_seen_at_idx" ON "logged_mail"("seen_at");

-- CreateIndex
CREATE INDEX "logged_mail_message_id_idx" ON "logged_mail"("message_id");

-- CreateIndex
CREATE INDEX "sieve_filter_created_at_id_idx" ON "sieve_filter"("created_at", "id");

-- CreateIndex
CREATE INDEX "sieve_filter_domain_id_idx" ON "sieve_filter"("domain_id");

-- CreateIndex
CREATE INDEX "sieve_filter_mailbox_id_idx" ON "sieve_filter"("mailbox_id");

-- AddForeignKey
ALTER TABLE "dkim_key" ADD CONSTRAINT "dkim_key_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbound_delivery" ADD CONSTRAINT "inbound_delivery_queue_id_fkey" FOREIGN KEY ("queue_id") REFERENCES "logged_mail"("queue_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sieve_filter" ADD CONSTRAINT "sieve_filter_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sieve_filter" ADD CONSTRAINT "sieve_filter_mailbox_id_fkey" FOREIGN KEY ("mailbox_id") REFERENCES "mailbox"("id") ON DELETE CASCADE ON UPDATE CASCADE;



CREATE UNIQUE INDEX "dkim_key_one_active" ON "dkim_key" ("domain_id") WHERE "status" = 'active';
CREATE UNIQUE INDEX "dkim_key_one_pending" ON "dkim_key" ("domain_id") WHERE "status" = 'pending';

-- Small indexes for the requests and deliveries that the agent still has to handle.
CREATE INDEX "mail_request_waiting" ON "mail_request" ("created_at") WHERE "claimed_at" IS NULL;
CREATE INDEX "inbound_delivery_unreported_idx" ON "inbound_delivery" ("at") WHERE "reported_at" IS NULL;

ALTER TABLE "sieve_filter" ADD CONSTRAINT "sieve_filter_scope" CHECK (
  CASE "scope" WHEN 'global' THEN "domain_id" IS NULL AND "mailbox_id" IS NULL
               WHEN 'domain' THEN "domain_id" IS NOT NULL AND "mailbox_id" IS NULL
               ELSE "domain_id" IS NULL AND "mailbox_id" IS NOT NULL END
);

-- Mail submitted by SMTP has a Message-ID from the sender's mail program, which can repeat. Unlike the app's messages, it
-- has a queue id from the start.
DROP INDEX "message_outbound_message_id_key";
CREATE UNIQUE INDEX "message_outbound_message_id_key" ON "message"("message_id") WHERE "direction" = 'outbound' AND "queue_id" IS NULL;
