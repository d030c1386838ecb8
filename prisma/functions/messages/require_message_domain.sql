-- Refuses a message of a domain that doesn't exist, as a foreign key would. A foreign key would also update every message of
-- a domain that is deleted.
-- Called by the trigger below.
CREATE OR REPLACE FUNCTION require_message_domain() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM domain WHERE id = NEW.domain_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'message % names the domain %, which does not exist', NEW.id, NEW.domain_id
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'message_domain_id_fkey';
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER message_domain BEFORE INSERT OR UPDATE OF domain_id ON message
  FOR EACH ROW WHEN (NEW.domain_id IS NOT NULL) EXECUTE FUNCTION require_message_domain();
