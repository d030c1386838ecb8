-- Decides whether the signed-in mailbox can still send. Checked for every message, because sessions stay open and the null
-- sender identifies nobody. For an API key, which has a user name of mta.dovecot_key_login, Postfix asks the mail agent about its
-- sender and recipients (main.cf).
-- Called by Postfix (login-access.cf).
CREATE OR REPLACE FUNCTION mta.login_access(local mta.asked_name, domain mta.asked_name) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  IF login_access.domain = 'apikey' THEN RETURN NEXT 'postroom_api_key'; RETURN; END IF;
  PERFORM 1 FROM "domain" d JOIN mailbox m ON m.domain_id = d.id
    WHERE d.name = lower(login_access.domain) AND d.active
      AND m.local_part = lower(login_access.local) AND m.active AND m.suspended_at IS NULL;
  IF FOUND THEN RETURN NEXT 'DUNNO'; ELSE RETURN NEXT '550 5.7.1 This mailbox is not allowed to send'; END IF;
END
$$;

REVOKE ALL ON FUNCTION mta.login_access(mta.asked_name, mta.asked_name) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.login_access(mta.asked_name, mta.asked_name) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
