-- DropIndex
DROP INDEX "audit_entry_admin_id_idx";

-- AlterTable
ALTER TABLE "audit_entry" DROP CONSTRAINT "audit_entry_admin_id_fkey",
ADD COLUMN     "hash" BYTEA,
ADD COLUMN     "prev_hash" BYTEA,
ADD COLUMN     "seq" BIGINT;

-- CreateTable
CREATE TABLE "audit_head" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "seq" BIGINT NOT NULL DEFAULT 0,
    "hash" BYTEA NOT NULL,
    "signature" TEXT,
    "sealed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_head_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_verified" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "seq" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,
    "signature" TEXT NOT NULL,
    "verified_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_verified_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_archived" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "seq" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,
    "signature" TEXT NOT NULL,
    "archived_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_archived_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "denied_attempt" (
    "network" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "account" TEXT NOT NULL,
    "resource" TEXT NOT NULL,
    "ip_address" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,
    "request_id" UUID NOT NULL,
    "attempts" INTEGER NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "denied_attempt_pkey" PRIMARY KEY ("network","action","code","account")
);

-- CreateIndex
CREATE INDEX "denied_attempt_first_at_idx" ON "denied_attempt"("first_at");

-- CreateIndex
CREATE UNIQUE INDEX "audit_entry_seq_key" ON "audit_entry"("seq");

-- CreateIndex
CREATE INDEX "audit_entry_admin_id_created_at_id_idx" ON "audit_entry"("admin_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entry_domain_id_created_at_id_idx" ON "audit_entry"("domain_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entry_action_created_at_id_idx" ON "audit_entry"("action", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entry_resource_created_at_id_idx" ON "audit_entry"("resource", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entry_outcome_created_at_id_idx" ON "audit_entry"("outcome", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entry_admin_email_created_at_id_idx" ON "audit_entry"("admin_email", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entry_ip_address_created_at_id_idx" ON "audit_entry"("ip_address", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entry_request_id_idx" ON "audit_entry"("request_id");



INSERT INTO "audit_head" ("id", "hash") VALUES (1, '\x');
ALTER TABLE "audit_head" ADD CONSTRAINT "audit_head_one_row" CHECK ("id" = 1);
ALTER TABLE "audit_archived" ADD CONSTRAINT "audit_archived_one_row" CHECK ("id" = 1);
ALTER TABLE "audit_verified" ADD CONSTRAINT "audit_verified_one_row" CHECK ("id" = 1);

-- What the hash covers after the previous hash: the entry's position and all of its columns.
CREATE FUNCTION audit_entry_text(entry "audit_entry", place bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT jsonb_build_array(
    place, entry.id, entry.admin_id, entry.admin_email, entry.api_key_id, entry.action, entry.resource, entry.domain_id,
    entry.ip_address, entry.user_agent, entry.request_id, entry.outcome::text, entry.details,
    (extract(epoch FROM entry.created_at) * 1000)::bigint
  )::text
$$;

CREATE FUNCTION audit_entry_hash(entry "audit_entry", place bigint, previous bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT sha256(previous || convert_to(audit_entry_text(entry, place), 'UTF8'))
$$;

-- Adds the oldest unsealed entries to the chain. One caller at a time; others return 0.
CREATE FUNCTION seal_audit_entries(at_most integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  head "audit_head";
  entry "audit_entry";
  sealed integer := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7203003) THEN RETURN 0; END IF;
  SELECT * INTO head FROM "audit_head" WHERE id = 1 FOR UPDATE;
  FOR entry IN SELECT * FROM "audit_entry" WHERE seq IS NULL ORDER BY id LIMIT at_most FOR UPDATE LOOP
    UPDATE "audit_entry"
       SET seq = head.seq + 1, prev_hash = head.hash, hash = audit_entry_hash(entry, head.seq + 1, head.hash)
     WHERE id = entry.id
    RETURNING seq, hash INTO head.seq, head.hash;
    sealed := sealed + 1;
  END LOOP;
  IF sealed > 0 THEN UPDATE "audit_head" SET seq = head.seq, hash = head.hash WHERE id = 1; END IF;
  RETURN sealed;
END
$$;

-- Few entries are made with a key.
CREATE INDEX "audit_entry_api_key_id_created_at_id_idx" ON "audit_entry"("api_key_id", "created_at", "id")
  WHERE "api_key_id" IS NOT NULL;

CREATE INDEX "audit_entry_unsealed_idx" ON "audit_entry"("id") WHERE "seq" IS NULL;

-- Append-only: entries can only be sealed once, not changed, and deleted only after they are archived.
CREATE FUNCTION keep_audit_entry() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  expected "audit_entry";
BEGIN
  IF TG_OP = 'UPDATE' THEN
    expected := OLD;
    IF OLD.seq IS NULL THEN
      expected.seq := NEW.seq;
      expected.prev_hash := NEW.prev_hash;
      expected.hash := NEW.hash;
    END IF;
    IF NEW IS NOT DISTINCT FROM expected THEN RETURN NEW; END IF;
  ELSIF TG_OP = 'DELETE' THEN
    IF OLD.seq <= (SELECT seq FROM "audit_archived") THEN RETURN OLD; END IF;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END
$$;

CREATE TRIGGER audit_entry_kept BEFORE UPDATE OR DELETE ON "audit_entry"
  FOR EACH ROW EXECUTE FUNCTION keep_audit_entry();
CREATE TRIGGER audit_entry_not_truncated BEFORE TRUNCATE ON "audit_entry"
  FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_entry();
