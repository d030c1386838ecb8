-- Returns the transport of addresses for reports, which go to the agent unless a mailbox has the address. An inactive domain's,
-- too: they were accepted before. Bounce addresses are also at the mail host.
-- Called by Postfix (transports.cf), and by src/modules/messages/inbound and mail-log/inbound.
CREATE OR REPLACE FUNCTION mta.report_transport(local mta.asked_name, domain mta.asked_name) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY
    SELECT 'reports' FROM "domain" d
     WHERE d.name = lower(report_transport.domain) AND kind_of_report_address(report_transport.local) IS NOT NULL
       AND NOT EXISTS (SELECT FROM mailbox m WHERE m.domain_id = d.id AND m.active
                          AND m.local_part = lower(report_transport.local));
  IF FOUND OR kind_of_report_address(report_transport.local) IS DISTINCT FROM 'bounce' THEN RETURN; END IF;
  RETURN QUERY SELECT 'reports' FROM mta.is_mail_host(report_transport.domain);
END
$$;

REVOKE ALL ON FUNCTION mta.report_transport(mta.asked_name, mta.asked_name) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.report_transport(mta.asked_name, mta.asked_name) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
