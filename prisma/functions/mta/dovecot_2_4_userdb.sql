-- Returns what Dovecot 2.4 needs to know of a mailbox: settings by their names. "sieve_script+" adds to the scripts of the
-- configuration, and each has its filter's id as its name, by which Dovecot asks for it. Like Dovecot 2.3 by itself, it lets a
-- delivery exceed the quota by a tenth. Without a filter the values are NULL, which counts as unset.
-- Called by Dovecot (version.conf) for every recipient and delivery.
CREATE OR REPLACE FUNCTION mta.dovecot_2_4_userdb(address mta.asked_name, mail_folder text) RETURNS SETOF mta.dovecot_2_4_userdb
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
DECLARE
  result mta.dovecot_2_4_userdb;
  quota bigint;
  filters jsonb;
BEGIN
  SELECT u."user", mail_folder || u.folder, substr(u.quota_rule, length('*:bytes=') + 1)::bigint
    INTO result."user", result.home, quota
    FROM mta.dovecot_login(dovecot_2_4_userdb.address) AS u;
  IF NOT FOUND THEN RETURN; END IF;
  result.quota_storage_size := quota || 'B';
  result.quota_storage_grace := quota / 10 || 'B';
  SELECT string_agg('filter' || f.n, ' ' ORDER BY f.n),
         jsonb_object_agg(format('sieve_script/filter%s/sieve_script_name', f.n), f.id)
         || jsonb_object_agg(format('sieve_script/filter%s/dict', f.n), 'proxy')
    INTO result."sieve_script+", filters
    FROM mta.sieve_filters(split_part(result."user", '@', 1), split_part(result."user", '@', 2)) WITH ORDINALITY AS f(id, n);
  RETURN NEXT jsonb_populate_record(result, filters);
END
$$;

REVOKE ALL ON FUNCTION mta.dovecot_2_4_userdb(mta.asked_name, text) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.dovecot_2_4_userdb(mta.asked_name, text) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
