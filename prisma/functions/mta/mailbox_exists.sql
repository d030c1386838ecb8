-- Returns a row if the address is that of an active mailbox of an active domain, exactly, without looking at aliases or
-- +tags.
-- Called by Postfix (mailboxes.cf) to deliver to Dovecot.
CREATE OR REPLACE FUNCTION mta.mailbox_exists(local mta.asked_name, domain mta.asked_name) RETURNS SETOF integer
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY
    SELECT 1 FROM "domain" d JOIN mailbox m ON m.domain_id = d.id
     WHERE d.name = lower(mailbox_exists.domain) AND d.active
       AND m.local_part = lower(mailbox_exists.local) AND m.active;
END
$$;

REVOKE ALL ON FUNCTION mta.mailbox_exists(mta.asked_name, mta.asked_name) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.mailbox_exists(mta.asked_name, mta.asked_name) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
