-- Returns the active filters of a mailbox, in the order in which they run: global ones, then those of the domain, then its
-- own.
-- Called by mta.dovecot_userdb.
CREATE OR REPLACE FUNCTION mta.sieve_filters(local mta.asked_name, domain mta.asked_name) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 5
SET search_path = public, pg_temp
AS $$
DECLARE
  its_domain_id uuid;
  its_id uuid;
BEGIN
  SELECT m.id, d.id INTO its_id, its_domain_id
    FROM "domain" d JOIN mailbox m ON m.domain_id = d.id
   WHERE d.name = lower(sieve_filters.domain) AND m.local_part = lower(sieve_filters.local);
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY
    SELECT f.id FROM sieve_filter f
     WHERE f.active AND (f.scope = 'global' OR f.domain_id = its_domain_id OR f.mailbox_id = its_id)
     ORDER BY f.scope, f.position, f.created_at, f.id;
END
$$;

REVOKE ALL ON FUNCTION mta.sieve_filters(mta.asked_name, mta.asked_name) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.sieve_filters(mta.asked_name, mta.asked_name) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
