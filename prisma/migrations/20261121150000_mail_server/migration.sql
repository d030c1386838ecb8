-- The other functions for Postfix and Dovecot. Each makes one complete decision and is called for every command, so that
-- changes in the console need no reload. They return no row if nothing is known, since Postfix logs a warning for each NULL.

-- Inactive domains are managed too: their mail must be rejected here, not sent to their MX.
CREATE FUNCTION mta.is_domain(domain text) RETURNS SETOF integer
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY SELECT 1 FROM "domain" d WHERE d.name = lower(is_domain.domain);
END
$$;

CREATE FUNCTION mta.mailbox_exists(local text, domain text) RETURNS SETOF integer
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

-- The transport of reports, which go to the agent unless a mailbox has the address. An inactive domain's, too: they were
-- accepted before.
CREATE FUNCTION mta.report_transport(local text, domain text) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY
    SELECT 'reports' FROM "domain" d
     WHERE d.name = lower(report_transport.domain) AND lower(report_transport.local) IN ('dmarc-reports', 'tls-reports')
       AND NOT EXISTS (SELECT FROM mailbox m WHERE m.domain_id = d.id AND m.active
                          AND m.local_part = lower(report_transport.local));
END
$$;

-- The reply to RCPT TO, as in Postfix's access(5). No row: the domain isn't managed.
CREATE FUNCTION mta.rcpt_access(local text, domain text) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
DECLARE
  is_active boolean;
BEGIN
  SELECT d.active INTO is_active FROM "domain" d WHERE d.name = lower(rcpt_access.domain);
  IF NOT FOUND THEN RETURN; END IF;
  IF NOT is_active THEN RETURN NEXT '550 5.1.2 The domain does not accept mail'; RETURN; END IF;
  PERFORM 1 FROM mta.resolve(rcpt_access.local, rcpt_access.domain);
  IF FOUND THEN RETURN NEXT 'OK'; ELSE RETURN NEXT '550 5.1.1 No such user'; END IF;
END
$$;

-- Whether the address can be a sender. It needs no mailbox: the app sends from any address of an active domain.
CREATE FUNCTION mta.sender_access(local text, domain text) RETURNS SETOF text
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

-- Whether the signed-in mailbox can still send. Checked for every message, because sessions stay open and the null sender
-- identifies nobody.
CREATE FUNCTION mta.login_access(local text, domain text) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM 1 FROM "domain" d JOIN mailbox m ON m.domain_id = d.id
    WHERE d.name = lower(login_access.domain) AND d.active
      AND m.local_part = lower(login_access.local) AND m.active AND m.suspended_at IS NULL;
  IF FOUND THEN RETURN NEXT 'DUNNO'; ELSE RETURN NEXT '550 5.7.1 This mailbox is not allowed to send'; END IF;
END
$$;

-- Users who can send as this address: its mailbox, and the app, which signs in as "postroom".
CREATE FUNCTION mta.sender_logins(local text, domain text) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 2
SET search_path = public, pg_temp
AS $$
DECLARE
  wanted_domain_id uuid;
BEGIN
  SELECT d.id INTO wanted_domain_id FROM "domain" d WHERE d.name = lower(sender_logins.domain) AND d.active;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY
    SELECT m.local_part || '@' || lower(sender_logins.domain)
      FROM mailbox m
     WHERE m.domain_id = wanted_domain_id AND m.local_part = lower(sender_logins.local) AND m.active;
  RETURN NEXT 'postroom';
END
$$;

-- A suspended mailbox can't send, but can sign in and read. To Dovecot, 0 bytes means no quota.
CREATE FUNCTION mta.dovecot_login(local text, domain text)
RETURNS TABLE ("user" text, password text, quota_rule text)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY
    SELECT m.local_part || '@' || d.name,
           '{ARGON2ID}' || m.password_hash,
           '*:bytes=' || CASE WHEN m.quota_bytes IS NULL THEN 0 ELSE greatest(m.quota_bytes, 1) END
      FROM "domain" d JOIN mailbox m ON m.domain_id = d.id
     WHERE d.name = lower(dovecot_login.domain) AND d.active
       AND m.local_part = lower(dovecot_login.local) AND m.active;
END
$$;

CREATE FUNCTION mta.dovecot_user(local text, domain text)
RETURNS TABLE ("user" text, quota_rule text)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN QUERY SELECT l."user", l.quota_rule FROM mta.dovecot_login(dovecot_user.local, dovecot_user.domain) l;
END
$$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA mta FROM PUBLIC;

-- The mail server's role can only call these functions. The installer sets its password, and creates the role if the
-- app's role can't.
DO $$
BEGIN
  CREATE ROLE mta_read NOLOGIN;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN RAISE NOTICE 'The mail server''s installer will create the role mta_read.';
END
$$;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'mta_read') THEN
    GRANT USAGE ON SCHEMA mta TO mta_read;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA mta TO mta_read;
  END IF;
END
$$;
