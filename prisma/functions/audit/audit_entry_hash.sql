-- Returns the hash of an entry at a place in the chain, after the hash of the entry before.
-- Called by seal_audit_entries.
CREATE OR REPLACE FUNCTION audit_entry_hash(entry audit_entry, place bigint, previous bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT sha256(previous || convert_to(audit_entry_text(entry, place), 'UTF8'))
$$;
