-- Returns what Dovecot needs for a sign-in, or no row if no active mailbox has the address. A suspended mailbox can't send,
-- but can sign in and read. To Dovecot, 0 bytes means no quota. The folder includes the mailbox's id, so that a new mailbox
-- with the address of a deleted one doesn't get its mail and scripts. Dovecot gives the address in one piece, because a name
-- and a domain of which only one is empty can be what somebody signs in with.
-- Called by Dovecot (sql.conf) for every sign-in, and by mta.dovecot_userdb.
CREATE OR REPLACE FUNCTION mta.dovecot_login(address mta.asked_name)
RETURNS TABLE ("user" text, password text, quota_rule text, folder text)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
DECLARE
  wanted CONSTANT text := lower(dovecot_login.address);
BEGIN
  RETURN QUERY
    SELECT m.local_part || '@' || d.name,
           '{ARGON2ID}' || m.password_hash,
           '*:bytes=' || CASE WHEN m.quota_bytes IS NULL THEN 0 ELSE greatest(m.quota_bytes, 1) END,
           d.name || '/' || m.local_part || '/' || m.id
      FROM "domain" d JOIN mailbox m ON m.domain_id = d.id
     WHERE d.name = substr(wanted, nullif(strpos(wanted, '@'), 0) + 1) AND d.active
       AND m.local_part = split_part(wanted, '@', 1) AND m.active;
END
$$;

-- A Dovecot that the version before configured asks with two names, so mail doesn't wait until its host is upgraded, too.
CREATE OR REPLACE FUNCTION mta.dovecot_login(local mta.asked_name, domain mta.asked_name)
RETURNS TABLE ("user" text, password text, quota_rule text, folder text)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY SELECT * FROM mta.dovecot_login(local || '@' || domain);
END
$$;

REVOKE ALL ON FUNCTION mta.dovecot_login(mta.asked_name), mta.dovecot_login(mta.asked_name, mta.asked_name) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.dovecot_login(mta.asked_name), mta.dovecot_login(mta.asked_name, mta.asked_name) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
