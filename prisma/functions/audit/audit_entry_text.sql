-- Returns what the hash of an entry covers after the previous hash: its position and all of its columns. Only an untimely
-- entry has the time of its sealing in it. A change would make every stored hash wrong: a new column may only add to the
-- text where it is set. src/modules/audit/chain.ts has the same expression for archives.
-- Called by audit_entry_hash.
CREATE OR REPLACE FUNCTION audit_entry_text(entry audit_entry, place bigint) RETURNS text
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
