-- Returns the users who can send as this address: its mailbox, and the app, which signs in as "postroom". Only the app can send as
-- a bounce address, also at the mail host.
-- Called by Postfix (sender-logins.cf).
CREATE OR REPLACE FUNCTION mta.sender_logins(local mta.asked_name, domain mta.asked_name) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 2
SET search_path = public, pg_temp
AS $$
DECLARE
  wanted_domain_id uuid;
BEGIN
  SELECT d.id INTO wanted_domain_id FROM "domain" d WHERE d.name = lower(sender_logins.domain) AND d.active;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'postroom' FROM mta.is_mail_host(sender_logins.domain) WHERE kind_of_report_address(sender_logins.local) = 'bounce';
    RETURN;
  END IF;
  RETURN QUERY
    SELECT m.local_part || '@' || lower(sender_logins.domain)
      FROM mailbox m
     WHERE m.domain_id = wanted_domain_id AND m.local_part = lower(sender_logins.local) AND m.active;
  RETURN NEXT 'postroom';
END
$$;

REVOKE ALL ON FUNCTION mta.sender_logins(mta.asked_name, mta.asked_name) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.sender_logins(mta.asked_name, mta.asked_name) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
