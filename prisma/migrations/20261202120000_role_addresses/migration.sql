-- Every domain has to accept mail to postmaster@ (RFC 5321, 4.5.1), and abuse@ is where others report its mail (RFC 2142). Whether
-- the address is one of these and nothing else takes its mail: no mailbox, alias or catch-all.
CREATE FUNCTION mta.is_role_address(local mta.asked_name, domain mta.asked_name) RETURNS SETOF integer
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

-- As before, but these addresses are accepted, too.
CREATE OR REPLACE FUNCTION mta.rcpt_access(local mta.asked_name, domain mta.asked_name) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
DECLARE
  is_active boolean;
BEGIN
  SELECT d.active INTO is_active FROM "domain" d WHERE d.name = lower(rcpt_access.domain);
  IF NOT FOUND THEN RETURN; END IF;
  IF NOT is_active THEN RETURN NEXT '550 5.1.2 The domain does not accept mail'; RETURN; END IF;
  PERFORM 1 FROM mta.resolve(rcpt_access.local, rcpt_access.domain);
  IF FOUND THEN RETURN NEXT 'OK'; RETURN; END IF;
  PERFORM 1 FROM mta.is_role_address(rcpt_access.local, rcpt_access.domain);
  IF FOUND THEN RETURN NEXT 'OK'; ELSE RETURN NEXT '550 5.1.1 No such user'; END IF;
END
$$;

REVOKE ALL ON FUNCTION mta.is_role_address(mta.asked_name, mta.asked_name) FROM PUBLIC;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'mta_read') THEN
    GRANT EXECUTE ON FUNCTION mta.is_role_address(mta.asked_name, mta.asked_name) TO mta_read;
  END IF;
END
$$;
