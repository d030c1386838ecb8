-- Returns a row if the domain is managed. Inactive domains are managed too: their mail must be rejected here, not sent to
-- their MX.
-- Called by Postfix (domains.cf, quota-access.cf) and by the agent's check of the configuration.
CREATE OR REPLACE FUNCTION mta.is_domain(domain mta.asked_name) RETURNS SETOF integer
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY SELECT 1 FROM "domain" d WHERE d.name = lower(is_domain.domain);
END
$$;

REVOKE ALL ON FUNCTION mta.is_domain(mta.asked_name) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.is_domain(mta.asked_name) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
