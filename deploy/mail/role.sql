-- What the mail server's role may do in Postroom's database: ask mta.* and tell how much a mailbox holds. `install` runs
-- this as the database's superuser, in a database that is Postroom's alone. Running it again changes nothing.
DO $$
BEGIN
  CREATE ROLE mta_read NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;

GRANT USAGE ON SCHEMA mta TO mta_read;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA mta TO mta_read;
GRANT SELECT ON mta.sieve_script TO mta_read;
GRANT INSERT, SELECT (address), UPDATE (bytes, messages) ON mta.used_space TO mta_read;

-- Postgres lets every role make temporary tables and large objects, and call the functions in "public". Here the app alone
-- may, which is the role that owns its tables, and needs no large objects.
DO $$
DECLARE
  app CONSTANT name := (SELECT tableowner FROM pg_tables WHERE schemaname = 'public' AND tablename = 'domain');
BEGIN
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO %I', current_database(), app);
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', app);
  REVOKE ALL ON SCHEMA public FROM PUBLIC;
  REVOKE EXECUTE ON FUNCTION pg_catalog.lo_creat(integer), pg_catalog.lo_create(oid),
    pg_catalog.lo_from_bytea(oid, bytea) FROM PUBLIC;
END
$$;
