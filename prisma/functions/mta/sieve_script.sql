-- Shows the active Sieve scripts to Dovecot, whose dict supports only tables and views. Looked up by filter id, then by
-- version. Dovecot caches compiled scripts by version, so the version changes with the script; the index
-- sieve_filter_version finds it. The dict needs an owner, which is the same for all rows.
-- Read by Dovecot (sieve.conf).
CREATE OR REPLACE VIEW mta.sieve_script AS
  SELECT 'filters'::mta.filter_owner AS owner, f.id AS filter, md5(f.id::text || f.script)::uuid AS version, f.script
    FROM public.sieve_filter f
   WHERE f.active;

DO $$
BEGIN
  GRANT SELECT ON mta.sieve_script TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
