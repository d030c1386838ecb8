-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN     "sealed_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "audit_accepted" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "seq" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,
    "signature" TEXT NOT NULL,
    "accepted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_accepted_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "audit_accepted" ADD CONSTRAINT "audit_accepted_one_row" CHECK ("id" = 1);

-- What the hash covers after the previous hash. Only an untimely entry has the time of its sealing in it, so the hashes of
-- all others stay what they were.
CREATE OR REPLACE FUNCTION audit_entry_text(entry "audit_entry", place bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT (
    jsonb_build_array(
      place, entry.id, entry.admin_id, entry.admin_email, entry.api_key_id, entry.action, entry.resource, entry.domain_id,
      entry.ip_address, entry.user_agent, entry.request_id, entry.outcome::text, entry.details,
      (extract(epoch FROM entry.created_at) * 1000)::bigint
    ) || CASE
      WHEN entry.sealed_at IS NULL THEN '[]'::jsonb
      ELSE jsonb_build_array((extract(epoch FROM entry.sealed_at) * 1000)::bigint)
    END
  )::text
$$;

-- Adds the oldest unsealed entries to the chain, with the time `at` if their own is before `earliest` or after `latest`. One
-- caller at a time; others return 0. The function of the same name without times is that of the version before.
CREATE FUNCTION seal_audit_entries(at_most integer, at timestamptz, earliest timestamptz, latest timestamptz) RETURNS integer
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
    entry.sealed_at := CASE WHEN entry.created_at < earliest OR entry.created_at > latest THEN at END;
    UPDATE "audit_entry"
       SET seq = head.seq + 1, prev_hash = head.hash, sealed_at = entry.sealed_at,
           hash = audit_entry_hash(entry, head.seq + 1, head.hash)
     WHERE id = entry.id
    RETURNING seq, hash INTO head.seq, head.hash;
    sealed := sealed + 1;
  END LOOP;
  IF sealed > 0 THEN UPDATE "audit_head" SET seq = head.seq, hash = head.hash WHERE id = 1; END IF;
  RETURN sealed;
END
$$;

-- Append-only: entries can only be sealed once, not changed, and deleted only after they are archived.
CREATE OR REPLACE FUNCTION keep_audit_entry() RETURNS trigger
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
      expected.sealed_at := NEW.sealed_at;
    END IF;
    IF NEW IS NOT DISTINCT FROM expected THEN RETURN NEW; END IF;
  ELSIF TG_OP = 'DELETE' THEN
    IF OLD.seq <= (SELECT seq FROM "audit_archived") THEN RETURN OLD; END IF;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END
$$;
