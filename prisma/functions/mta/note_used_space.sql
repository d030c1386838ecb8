-- Stores the storage usage that Dovecot reports in used_bytes of the mailbox, and no row in mta.used_space. Dovecot writes
-- with INSERT … ON CONFLICT (address) DO UPDATE, which views don't support.
-- Called by the trigger below, when Dovecot (used-space.conf) writes.
CREATE OR REPLACE FUNCTION mta.note_used_space() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  used CONSTANT bigint := greatest(NEW.bytes, 0);
BEGIN
  UPDATE mailbox m SET used_bytes = used
    FROM "domain" d
   WHERE d.name = lower(split_part(NEW.address, '@', 2)) AND m.domain_id = d.id
     AND m.local_part = lower(split_part(NEW.address, '@', 1)) AND m.used_bytes <> used;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER note_used_space BEFORE INSERT ON mta.used_space
  FOR EACH ROW EXECUTE FUNCTION mta.note_used_space();

REVOKE ALL ON FUNCTION mta.note_used_space() FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.note_used_space() TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
