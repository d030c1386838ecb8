-- Returns a row if the address is postmaster@ or abuse@ of an active domain, and nothing else takes its mail: no mailbox,
-- alias or catch-all. Every domain has to accept mail to postmaster@ (RFC 5321, 4.5.1), and abuse@ is where others report
-- its mail (RFC 2142).
-- Called by Postfix (role-addresses.cf) and by mta.rcpt_access.
CREATE OR REPLACE FUNCTION mta.is_role_address(local mta.asked_name, domain mta.asked_name) RETURNS SETOF integer
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  IF lower(is_role_address.local) NOT IN ('postmaster', 'abuse') THEN RETURN; END IF;
  PERFORM 1 FROM "domain" d WHERE d.name = lower(is_role_address.domain) AND d.active;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM 1 FROM mta.resolve(is_role_address.local, is_role_address.domain);
  IF NOT FOUND THEN RETURN NEXT 1; END IF;
END
$$;

REVOKE ALL ON FUNCTION mta.is_role_address(mta.asked_name, mta.asked_name) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.is_role_address(mta.asked_name, mta.asked_name) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
