-- What Dovecot needs to know of a mailbox, for every recipient and delivery: one function with one column per filter. Planning a
-- query that names them, one expression for each, took six times as long as running it.

-- The app allows 20 active filters in each of the three scopes. Without a filter the value is NULL, which counts as unset.
DO $$
BEGIN
  EXECUTE (
    SELECT 'CREATE TYPE mta.userdb AS ("user" text, quota_rule text, home text, '
           || string_agg('sieve_before' || coalesce(nullif(n, 1)::text, '') || ' text', ', ' ORDER BY n) || ')'
      FROM generate_series(1, 60) AS n);
END
$$;

CREATE FUNCTION mta.dovecot_userdb(local text, domain text, mail_folder text, filter_location text) RETURNS SETOF mta.userdb
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
DECLARE
  result mta.userdb;
  filters jsonb;
BEGIN
  SELECT u."user", u.quota_rule, mail_folder || u.folder INTO result."user", result.quota_rule, result.home
    FROM mta.dovecot_user(dovecot_userdb.local, dovecot_userdb.domain) AS u;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT jsonb_object_agg('sieve_before' || coalesce(nullif(f.n, 1)::text, ''), filter_location || f.id) INTO filters
    FROM mta.sieve_filters(dovecot_userdb.local, dovecot_userdb.domain) WITH ORDINALITY AS f(id, n);
  RETURN NEXT jsonb_populate_record(result, filters);
END
$$;

REVOKE ALL ON FUNCTION mta.dovecot_userdb(text, text, text, text) FROM PUBLIC;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'mta_read') THEN
    GRANT EXECUTE ON FUNCTION mta.dovecot_userdb(text, text, text, text) TO mta_read;
  END IF;
END
$$;
