-- Returns a row if the name is that of a mail server of this instance. Bounce addresses of domains whose MX is elsewhere are at it.
-- An agent deletes its heartbeat when it stops, and leaves its cursor in the mail log.
-- Called by mta.resolve, mta.rcpt_access, mta.report_transport and mta.sender_logins, and by src/modules/messages/returned.
CREATE OR REPLACE FUNCTION mta.is_mail_host(domain mta.asked_name) RETURNS SETOF integer
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY
    SELECT 1 WHERE EXISTS (SELECT FROM mail_agent a WHERE lower(a.host) = lower(is_mail_host.domain))
                OR EXISTS (SELECT FROM mail_cursor c WHERE lower(c.source) = lower(is_mail_host.domain) || ' log');
END
$$;

REVOKE ALL ON FUNCTION mta.is_mail_host(mta.asked_name) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.is_mail_host(mta.asked_name) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
