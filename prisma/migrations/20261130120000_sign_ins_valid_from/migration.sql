-- Sessions that began earlier are ended by the mail server's agent.
ALTER TABLE "mailbox" ADD COLUMN "sign_ins_valid_from" TIMESTAMPTZ(3);
ALTER TABLE "domain" ADD COLUMN "sign_ins_valid_from" TIMESTAMPTZ(3);

-- Notifies the agent when the transaction commits, also of changes that the app doesn't make.
CREATE FUNCTION restart_sign_ins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('postroom_sign_ins', '');
  IF TG_OP = 'DELETE' THEN RETURN NULL; END IF;
  NEW.sign_ins_valid_from := clock_timestamp();
  RETURN NEW;
END
$$;

CREATE TRIGGER mailbox_sign_ins BEFORE UPDATE OF password_hash, active ON "mailbox"
FOR EACH ROW WHEN (OLD.password_hash <> NEW.password_hash OR OLD.active <> NEW.active) EXECUTE FUNCTION restart_sign_ins();
CREATE TRIGGER mailbox_deleted AFTER DELETE ON "mailbox" FOR EACH STATEMENT EXECUTE FUNCTION restart_sign_ins();
CREATE TRIGGER domain_sign_ins BEFORE UPDATE OF active ON "domain"
FOR EACH ROW WHEN (OLD.active <> NEW.active) EXECUTE FUNCTION restart_sign_ins();
