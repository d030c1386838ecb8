-- Adds the oldest unsealed entries to the chain, with the time `at` if their own is before `earliest` or after `latest`. One
-- caller at a time; others return 0.
-- Called by src/modules/audit/seal.ts.
CREATE OR REPLACE FUNCTION seal_audit_entries(at_most integer, at timestamptz, earliest timestamptz, latest timestamptz)
RETURNS integer
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
