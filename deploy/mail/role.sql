-- Privileges of the mail server's role: call the functions in mta and report the storage usage of mailboxes. `install`
-- runs this in a database that only Postroom uses, as a superuser, or as a role with CREATEROLE that is a member of the app's role.
-- It can be run again.
DO $$
BEGIN
  CREATE ROLE mta_read NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;

-- Compiling a plan takes longer than any of the mail server's statements runs.
ALTER ROLE mta_read SET jit = off;

GRANT USAGE ON SCHEMA mta TO mta_read;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA mta TO mta_read;
GRANT SELECT ON mta.sieve_script TO mta_read;
GRANT INSERT, SELECT (address), UPDATE (bytes, messages) ON mta.used_space TO mta_read;

-- By default, every role can create temporary tables and large objects and call the functions in "public". Here only the
-- app's role can, which owns the app's tables; nobody needs large objects.
DO $$
DECLARE
  app CONSTANT name := (SELECT tableowner FROM pg_tables WHERE schemaname = 'public' AND tablename = 'domain');
BEGIN
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO %I', current_database(), app);
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', app);
  REVOKE ALL ON SCHEMA public FROM PUBLIC;
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    REVOKE EXECUTE ON FUNCTION pg_catalog.lo_creat(integer), pg_catalog.lo_create(oid),
      pg_catalog.lo_from_bytea(oid, bytea) FROM PUBLIC;
  ELSE
    RAISE WARNING '% isn''t a superuser, so the mail server''s role can create large objects. The rest works as usual.', current_user;
  END IF;
END
$$;
