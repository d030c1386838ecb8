-- Ends the sessions of a mailbox, or of all mailboxes of a domain, that began before a change. Notifies the mail server's
-- agent when the transaction commits, also of changes that the app doesn't make.
-- Called by the triggers below.
CREATE OR REPLACE FUNCTION restart_sign_ins() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_notify('postroom_sign_ins', '');
  IF TG_OP = 'DELETE' THEN RETURN NULL; END IF;
  NEW.sign_ins_valid_from := clock_timestamp();
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER domain_sign_ins BEFORE UPDATE OF active ON domain
  FOR EACH ROW WHEN (OLD.active <> NEW.active) EXECUTE FUNCTION restart_sign_ins();

CREATE OR REPLACE TRIGGER mailbox_deleted AFTER DELETE ON mailbox
  FOR EACH STATEMENT EXECUTE FUNCTION restart_sign_ins();

CREATE OR REPLACE TRIGGER mailbox_sign_ins BEFORE UPDATE OF password_hash, active ON mailbox
  FOR EACH ROW WHEN (OLD.password_hash <> NEW.password_hash OR OLD.active <> NEW.active) EXECUTE FUNCTION restart_sign_ins();
