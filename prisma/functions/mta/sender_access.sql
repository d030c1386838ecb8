-- Decides whether the address can be a sender; no row if its domain isn't managed. The address needs no mailbox: the app
-- sends from any address of an active domain.
-- Called by Postfix (sender-access.cf).
CREATE OR REPLACE FUNCTION mta.sender_access(local mta.asked_name, domain mta.asked_name) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY
    SELECT CASE WHEN NOT d.active THEN '550 5.7.1 The domain of the sender is inactive'
                WHEN m.suspended_at IS NOT NULL THEN '550 5.7.1 The mailbox is suspended from sending'
                ELSE 'DUNNO' END
      FROM "domain" d LEFT JOIN mailbox m ON m.domain_id = d.id AND m.local_part = lower(sender_access.local)
     WHERE d.name = lower(sender_access.domain);
END
$$;

REVOKE ALL ON FUNCTION mta.sender_access(mta.asked_name, mta.asked_name) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.sender_access(mta.asked_name, mta.asked_name) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
