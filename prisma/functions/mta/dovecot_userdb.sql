-- Returns what Dovecot needs to know of a mailbox, with one column for each filter that it runs, in order. Without a filter
-- the value is NULL, which counts as unset. Planning a query that names the filters, one expression for each, took six times
-- as long as running it.
-- Called by Dovecot (sql.conf) for every recipient and delivery.
CREATE OR REPLACE FUNCTION mta.dovecot_userdb(address mta.asked_name, mail_folder text, filter_location text)
RETURNS SETOF mta.userdb
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

-- A Dovecot that the version before configured asks with two names, so mail doesn't wait until its host is upgraded, too.
CREATE OR REPLACE FUNCTION mta.dovecot_userdb(
  local mta.asked_name, domain mta.asked_name, mail_folder text, filter_location text
) RETURNS SETOF mta.userdb
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY SELECT * FROM mta.dovecot_userdb(local || '@' || domain, mail_folder, filter_location);
END
$$;

REVOKE ALL ON FUNCTION
  mta.dovecot_userdb(mta.asked_name, text, text), mta.dovecot_userdb(mta.asked_name, mta.asked_name, text, text)
  FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION
    mta.dovecot_userdb(mta.asked_name, text, text), mta.dovecot_userdb(mta.asked_name, mta.asked_name, text, text)
    TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
