-- Dovecot asks with empty names after the database was away. "No such user" would bounce accepted mail, so whatever the mail
-- server asks with an empty name is an error, which makes it try later. The type is the check of every function.
CREATE DOMAIN mta.asked_name AS text CONSTRAINT the_mail_server_gave_no_name CHECK (VALUE <> '');

DO $$
DECLARE
  changed record;
BEGIN
  FOR changed IN
    SELECT p.oid::regprocedure AS signature,
           regexp_replace(pg_get_functiondef(p.oid), '\m(local|domain) text', '\1 mta.asked_name', 'g') AS definition
      FROM pg_proc p
     WHERE p.pronamespace = 'mta'::regnamespace AND p.prorettype <> 'trigger'::regtype AND p.proname NOT LIKE 'dovecot%'
  LOOP
    EXECUTE format('DROP FUNCTION %s', changed.signature);
    EXECUTE changed.definition;
  END LOOP;
END
$$;

ALTER TABLE mta.used_space ALTER COLUMN address TYPE mta.asked_name;

DROP FUNCTION mta.dovecot_userdb(text, text, text, text);
DROP FUNCTION mta.dovecot_user(text, text);
DROP FUNCTION mta.dovecot_login(text, text);

-- A suspended mailbox can't send, but can sign in and read. To Dovecot, 0 bytes means no quota. Dovecot gives the address in
-- one piece, because a name and a domain of which only one is empty can be what somebody signs in with.
CREATE FUNCTION mta.dovecot_login(address mta.asked_name)
RETURNS TABLE ("user" text, password text, quota_rule text, folder text)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
DECLARE
  wanted CONSTANT text := lower(dovecot_login.address);
BEGIN
  RETURN QUERY
    SELECT m.local_part || '@' || d.name,
           '{ARGON2ID}' || m.password_hash,
           '*:bytes=' || CASE WHEN m.quota_bytes IS NULL THEN 0 ELSE greatest(m.quota_bytes, 1) END,
           d.name || '/' || m.local_part || '/' || m.id
      FROM "domain" d JOIN mailbox m ON m.domain_id = d.id
     WHERE d.name = substr(wanted, nullif(strpos(wanted, '@'), 0) + 1) AND d.active
       AND m.local_part = split_part(wanted, '@', 1) AND m.active;
END
$$;

CREATE FUNCTION mta.dovecot_userdb(address mta.asked_name, mail_folder text, filter_location text) RETURNS SETOF mta.userdb
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
DECLARE
  result mta.userdb;
  filters jsonb;
BEGIN
  SELECT u."user", u.quota_rule, mail_folder || u.folder INTO result."user", result.quota_rule, result.home
    FROM mta.dovecot_login(dovecot_userdb.address) AS u;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT jsonb_object_agg('sieve_before' || coalesce(nullif(f.n, 1)::text, ''), filter_location || f.id) INTO filters
    FROM mta.sieve_filters(split_part(result."user", '@', 1), split_part(result."user", '@', 2)) WITH ORDINALITY AS f(id, n);
  RETURN NEXT jsonb_populate_record(result, filters);
END
$$;

-- What a Dovecot asks that was configured by the version before, so that mail doesn't wait until its host is upgraded, too.
CREATE FUNCTION mta.dovecot_login(local mta.asked_name, domain mta.asked_name)
RETURNS TABLE ("user" text, password text, quota_rule text, folder text)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY SELECT * FROM mta.dovecot_login(local || '@' || domain);
END
$$;

CREATE FUNCTION mta.dovecot_userdb(local mta.asked_name, domain mta.asked_name, mail_folder text, filter_location text)
RETURNS SETOF mta.userdb
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY SELECT * FROM mta.dovecot_userdb(local || '@' || domain, mail_folder, filter_location);
END
$$;

-- Dovecot skips a filter that isn't found, so an empty owner, filter or version must be an error too: none of these types has
-- an empty value.
CREATE TYPE mta.filter_owner AS ENUM ('filters');
DROP VIEW mta.sieve_script;
DROP INDEX "sieve_filter_version";
CREATE INDEX "sieve_filter_version" ON "sieve_filter" ((md5("id"::text || "script")::uuid));

-- Looked up by filter id, then by version. Dovecot's dict needs an owner, which is the same for all rows.
CREATE VIEW mta.sieve_script AS
  SELECT 'filters'::mta.filter_owner AS owner, f.id AS filter, md5(f.id::text || f.script)::uuid AS version, f.script
    FROM public.sieve_filter f
   WHERE f.active;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA mta FROM PUBLIC;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'mta_read') THEN
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA mta TO mta_read;
    GRANT SELECT ON mta.sieve_script TO mta_read;
  END IF;
END
$$;
