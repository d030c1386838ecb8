-- Returns the reply to RCPT TO, as in Postfix's access(5), or no row if the domain isn't managed, except that bounce
-- addresses at the mail host are accepted. They are deferred if no mail host is known, as in a database that is still empty.
-- "No such user" is only answered if mta.resolve finds no destination and the address is no role address.
-- Called by Postfix (recipient-access.cf).
CREATE OR REPLACE FUNCTION mta.rcpt_access(local mta.asked_name, domain mta.asked_name) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
DECLARE
  is_active boolean;
BEGIN
  SELECT d.active INTO is_active FROM "domain" d WHERE d.name = lower(rcpt_access.domain);
  IF NOT FOUND THEN
    IF kind_of_report_address(rcpt_access.local) IS DISTINCT FROM 'bounce' THEN RETURN; END IF;
    RETURN QUERY SELECT 'OK' FROM mta.is_mail_host(rcpt_access.domain);
    IF FOUND OR EXISTS (SELECT FROM mail_agent) OR EXISTS (SELECT FROM mail_cursor) THEN RETURN; END IF;
    RETURN NEXT '450 4.3.0 Try again later';
    RETURN;
  END IF;
  IF NOT is_active THEN RETURN NEXT '550 5.1.2 The domain does not accept mail'; RETURN; END IF;
  PERFORM 1 FROM mta.resolve(rcpt_access.local, rcpt_access.domain);
  IF FOUND THEN RETURN NEXT 'OK'; RETURN; END IF;
  PERFORM 1 FROM mta.is_role_address(rcpt_access.local, rcpt_access.domain);
  IF FOUND THEN RETURN NEXT 'OK'; ELSE RETURN NEXT '550 5.1.1 No such user'; END IF;
END
$$;

REVOKE ALL ON FUNCTION mta.rcpt_access(mta.asked_name, mta.asked_name) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.rcpt_access(mta.asked_name, mta.asked_name) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
