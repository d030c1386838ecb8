-- Returns what Dovecot needs to sign in an API key that may send: the user name of its sessions, which has the key's id, and the
-- hash that Dovecot compares the key with. No row if the key is unknown, expired or not allowed to send, or can't be used from the
-- client's address. Dovecot hashes the key (as a hexadecimal SHA-256), so that no statement has the key itself.
-- Called by Dovecot (version.conf) for the user name "apikey".
CREATE OR REPLACE FUNCTION mta.dovecot_key_login(key_hash mta.asked_name, client text)
RETURNS TABLE ("user" text, password text)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  IF key_hash !~ '^[0-9a-fA-F]{64}$' THEN RETURN; END IF;
  RETURN QUERY
    SELECT k.id || '@apikey', '{SHA256.HEX}' || encode(k.key_hash, 'hex')
      FROM api_key k
     WHERE k.key_hash = decode(dovecot_key_login.key_hash, 'hex')
       AND (k.expires_at IS NULL OR k.expires_at > now()) AND 'send' = ANY (k.permissions)
       AND (k.allowed_ips = '{}' OR EXISTS (SELECT FROM unnest(k.allowed_ips) AS range WHERE client::inet <<= range::inet));
EXCEPTION
  -- Dovecot doesn't know the client's address.
  WHEN invalid_text_representation THEN RETURN;
END
$$;

REVOKE ALL ON FUNCTION mta.dovecot_key_login(mta.asked_name, text) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.dovecot_key_login(mta.asked_name, text) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
