-- A mailbox's folder includes its id, so that a new mailbox with the address of a deleted one doesn't get its mail and
-- scripts.
DROP FUNCTION mta.dovecot_user(text, text);
DROP FUNCTION mta.dovecot_login(text, text);

-- A suspended mailbox can't send, but can sign in and read. To Dovecot, 0 bytes means no quota.
CREATE FUNCTION mta.dovecot_login(local text, domain text)
RETURNS TABLE ("user" text, password text, quota_rule text, folder text)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY
    SELECT m.local_part || '@' || d.name,
           '{ARGON2ID}' || m.password_hash,
           '*:bytes=' || CASE WHEN m.quota_bytes IS NULL THEN 0 ELSE greatest(m.quota_bytes, 1) END,
           d.name || '/' || m.local_part || '/' || m.id
      FROM "domain" d JOIN mailbox m ON m.domain_id = d.id
     WHERE d.name = lower(dovecot_login.domain) AND d.active
       AND m.local_part = lower(dovecot_login.local) AND m.active;
END
$$;

CREATE FUNCTION mta.dovecot_user(local text, domain text)
RETURNS TABLE ("user" text, quota_rule text, folder text)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY
    SELECT l."user", l.quota_rule, l.folder FROM mta.dovecot_login(dovecot_user.local, dovecot_user.domain) l;
END
$$;

REVOKE ALL ON FUNCTION mta.dovecot_login(text, text), mta.dovecot_user(text, text) FROM PUBLIC;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'mta_read') THEN
    GRANT EXECUTE ON FUNCTION mta.dovecot_login(text, text), mta.dovecot_user(text, text) TO mta_read;
  END IF;
END
$$;
