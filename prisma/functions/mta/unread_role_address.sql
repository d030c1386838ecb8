-- Returns the reply to RCPT TO of a role address whose mail would go to `postmaster`, the address in the settings of the mail server, if
-- that is a role address itself that nothing takes: Postfix would replace it by itself for ever. The sender tries again until
-- it has a mailbox or an alias. No row for every other address.
-- Called by Postfix (recipient-access.cf).
CREATE OR REPLACE FUNCTION mta.unread_role_address(local mta.asked_name, domain mta.asked_name, postmaster mta.asked_name)
RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  IF lower(unread_role_address.local) NOT IN ('postmaster', 'abuse') THEN RETURN; END IF;
  PERFORM 1 FROM mta.is_role_address(split_part(postmaster, '@', 1), split_part(postmaster, '@', 2));
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM 1 FROM mta.is_role_address(unread_role_address.local, unread_role_address.domain);
  IF NOT FOUND THEN
    PERFORM 1 FROM mta.is_mail_host(unread_role_address.domain) WHERE lower(unread_role_address.local) = 'postmaster'
       AND NOT EXISTS (SELECT FROM mta.resolve(unread_role_address.local, unread_role_address.domain));
    IF NOT FOUND THEN RETURN; END IF;
  END IF;
  RETURN NEXT '450 4.3.5 ' || postmaster || ' has no mailbox or alias yet, try again later';
END
$$;

REVOKE ALL ON FUNCTION mta.unread_role_address(mta.asked_name, mta.asked_name, mta.asked_name) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.unread_role_address(mta.asked_name, mta.asked_name, mta.asked_name) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
