-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "audit_outcome" AS ENUM ('success', 'denied', 'error');

-- CreateEnum
CREATE TYPE "role" AS ENUM ('domain_admin', 'admin', 'super_admin');

-- CreateEnum
CREATE TYPE "dns_status" AS ENUM ('ok', 'warning', 'error', 'unchecked');

-- CreateEnum
CREATE TYPE "suspension_reason" AS ENUM ('rate_limit', 'manual');

-- CreateEnum
CREATE TYPE "direction" AS ENUM ('outbound', 'inbound');

-- CreateEnum
CREATE TYPE "message_status" AS ENUM ('submitting', 'sent', 'deferred', 'delivered', 'bounced', 'failed', 'received', 'spam', 'uncertain');

-- CreateEnum
CREATE TYPE "recipient_kind" AS ENUM ('to', 'cc', 'bcc');

-- CreateEnum
CREATE TYPE "outcome_cause" AS ENUM ('remote_reply', 'no_reply', 'rejected', 'not_submitted', 'expired', 'deleted', 'unknown');

-- CreateEnum
CREATE TYPE "inbound_route" AS ENUM ('mailbox', 'forwarded', 'filter', 'reports');

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" UUID NOT NULL,
    "admin_id" UUID,
    "admin_email" TEXT,
    "api_key_id" UUID,
    "action" TEXT NOT NULL,
    "resource" TEXT NOT NULL,
    "domain_id" UUID,
    "ip_address" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,
    "request_id" UUID NOT NULL,
    "outcome" "audit_outcome" NOT NULL,
    "details" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "admin" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT,
    "role" "role" NOT NULL,
    "totp_enabled" BOOLEAN NOT NULL DEFAULT false,
    "last_login_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "admin_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "admin_domain" (
    "admin_id" UUID NOT NULL,
    "domain_id" UUID NOT NULL,

    CONSTRAINT "admin_domain_pkey" PRIMARY KEY ("admin_id","domain_id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" UUID NOT NULL,
    "admin_id" UUID NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "ip_address" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "written_to" BIGINT,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "admin_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "key_prefix" TEXT NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "scoped_domain_ids" UUID[],
    "rate_limit" INTEGER NOT NULL DEFAULT 60,
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "written_to" BIGINT,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
-- Unlogged: a crash loses at most a minute of counts.
CREATE UNLOGGED TABLE "rate_limit" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_limit_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "domain" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "description" TEXT NOT NULL DEFAULT '',
    "max_mailboxes" INTEGER,
    "max_aliases" INTEGER,
    "default_quota_bytes" BIGINT,
    "hourly_send_limit" INTEGER,
    "verified_at" TIMESTAMPTZ(3),
    "dns_status" "dns_status" NOT NULL DEFAULT 'unchecked',
    "dkim_selector" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "domain_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mailbox" (
    "id" UUID NOT NULL,
    "domain_id" UUID NOT NULL,
    "local_part" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "display_name" TEXT NOT NULL DEFAULT '',
    "quota_bytes" BIGINT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "suspended_at" TIMESTAMPTZ(3),
    "suspension_reason" "suspension_reason",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mailbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alias" (
    "id" UUID NOT NULL,
    "domain_id" UUID NOT NULL,
    "source_local_part" TEXT NOT NULL,
    "destination" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "alias_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message" (
    "id" UUID NOT NULL,
    "message_id" TEXT NOT NULL,
    "queue_id" TEXT,
    "domain_id" UUID,
    "direction" "direction" NOT NULL,
    "from_address" TEXT NOT NULL,
    "to_addresses" TEXT[],
    "subject" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "status" "message_status" NOT NULL,
    "spam_score" DOUBLE PRECISION,
    "api_key_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message_recipient" (
    "id" UUID NOT NULL,
    "message_id" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "kind" "recipient_kind" NOT NULL,
    "status" "message_status" NOT NULL,
    "cause" "outcome_cause",
    "route" "inbound_route",
    "smtp_code" INTEGER,
    "enhanced_code" TEXT,
    "response" TEXT,
    "category" TEXT,
    "delivered_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_recipient_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message_event" (
    "id" UUID NOT NULL,
    "message_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "recipient" TEXT,
    "detail" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "message_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "domain_id" UUID,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_entry_created_at_id_idx" ON "audit_entry"("created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entry_admin_id_idx" ON "audit_entry"("admin_id");

-- CreateIndex
CREATE UNIQUE INDEX "admin_email_key" ON "admin"("email");

-- CreateIndex
CREATE INDEX "admin_domain_domain_id_idx" ON "admin_domain"("domain_id");

-- CreateIndex
CREATE UNIQUE INDEX "session_secret_hash_key" ON "session"("secret_hash");

-- CreateIndex
CREATE INDEX "session_admin_id_idx" ON "session"("admin_id");

-- CreateIndex
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_key_hash_key" ON "api_key"("key_hash");

-- CreateIndex
CREATE INDEX "api_key_admin_id_created_at_id_idx" ON "api_key"("admin_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "api_key_created_at_id_idx" ON "api_key"("created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "domain_name_key" ON "domain"("name");

-- CreateIndex
CREATE INDEX "domain_created_at_id_idx" ON "domain"("created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "mailbox_domain_id_local_part_key" ON "mailbox"("domain_id", "local_part");

-- CreateIndex
CREATE UNIQUE INDEX "alias_domain_id_source_local_part_key" ON "alias"("domain_id", "source_local_part");

-- CreateIndex
CREATE UNIQUE INDEX "message_message_id_key" ON "message"("message_id");

-- CreateIndex
CREATE INDEX "message_created_at_id_idx" ON "message"("created_at", "id");

-- CreateIndex
CREATE INDEX "message_domain_id_created_at_id_idx" ON "message"("domain_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "message_from_address_status_created_at_id_idx" ON "message"("from_address", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "message_recipient_address_created_at_message_id_idx" ON "message_recipient"("address", "created_at", "message_id");

-- CreateIndex
CREATE UNIQUE INDEX "message_recipient_message_id_address_key" ON "message_recipient"("message_id", "address");

-- CreateIndex
CREATE INDEX "message_event_message_id_at_id_idx" ON "message_event"("message_id", "at", "id");

-- CreateIndex
CREATE INDEX "event_created_at_id_idx" ON "event"("created_at", "id");

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "admin_domain" ADD CONSTRAINT "admin_domain_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "admin_domain" ADD CONSTRAINT "admin_domain_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mailbox" ADD CONSTRAINT "mailbox_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alias" ADD CONSTRAINT "alias_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What a foreign key checks on insert. A foreign key would also update every message of a domain that is deleted.
CREATE FUNCTION require_message_domain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM domain WHERE id = NEW.domain_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'message % names the domain %, which does not exist', NEW.id, NEW.domain_id
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'message_domain_id_fkey';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER message_domain BEFORE INSERT OR UPDATE OF "domain_id" ON "message"
  FOR EACH ROW WHEN (NEW."domain_id" IS NOT NULL) EXECUTE FUNCTION require_message_domain();

-- AddForeignKey
ALTER TABLE "message_recipient" ADD CONSTRAINT "message_recipient_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "message"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "message_event" ADD CONSTRAINT "message_event_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "message"("id") ON DELETE CASCADE ON UPDATE CASCADE;


