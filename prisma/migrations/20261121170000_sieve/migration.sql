-- Sieve filters for Dovecot, and the storage usage of mailboxes. Dovecot's dict supports only tables and views, so the mail
-- server has one of each besides a function.

-- Filters of a domain or a mailbox have indexes already.
CREATE INDEX "sieve_filter_global" ON "sieve_filter" ("position") WHERE "scope" = 'global';
-- Dovecot caches compiled scripts by version, so the version changes with the script.
CREATE INDEX "sieve_filter_version" ON "sieve_filter" (md5("id"::text || "script"));

-- The filters of a mailbox, in the order in which they run.
CREATE FUNCTION mta.sieve_filters(local text, domain text) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 5
SET search_path = public, pg_temp
AS $$
DECLARE
  its_domain_id uuid;
  its_id uuid;
BEGIN
  SELECT m.id, d.id INTO its_id, its_domain_id
    FROM "domain" d JOIN mailbox m ON m.domain_id = d.id
   WHERE d.name = lower(sieve_filters.domain) AND m.local_part = lower(sieve_filters.local);
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY
    SELECT f.id FROM sieve_filter f
     WHERE f.active AND (f.scope = 'global' OR f.domain_id = its_domain_id OR f.mailbox_id = its_id)
     ORDER BY f.scope, f.position, f.created_at, f.id;
END
$$;

REVOKE ALL ON FUNCTION mta.sieve_filters(text, text) FROM PUBLIC;

-- Looked up by filter id, then by version. Dovecot's dict needs an owner, which is the same for all rows.
CREATE VIEW mta.sieve_script AS
  SELECT 'filters' AS owner, f.id AS filter, md5(f.id::text || f.script) AS version, f.script
    FROM public.sieve_filter f
   WHERE f.active;

-- Dovecot writes with INSERT … ON CONFLICT (address) DO UPDATE, which views don't support. No row is ever stored: the
-- trigger updates used_bytes of the mailbox instead.
CREATE TABLE mta.used_space (
  address text PRIMARY KEY,
  bytes bigint NOT NULL,
  messages bigint NOT NULL
);

CREATE FUNCTION mta.note_used_space() RETURNS trigger
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

REVOKE ALL ON FUNCTION mta.note_used_space() FROM PUBLIC;

CREATE TRIGGER note_used_space BEFORE INSERT ON mta.used_space
FOR EACH ROW EXECUTE FUNCTION mta.note_used_space();

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'mta_read') THEN
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA mta TO mta_read;
    GRANT SELECT ON mta.sieve_script TO mta_read;
    GRANT INSERT, SELECT (address), UPDATE (bytes, messages) ON mta.used_space TO mta_read;
  END IF;
END
$$;
