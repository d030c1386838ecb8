-- Sets the time of a recipient to that of its message, so that an index lists an address's messages in order. A statement
-- that inserts both sets it itself, because the trigger can't see the message yet.
-- Called by the trigger below.
CREATE OR REPLACE FUNCTION set_recipient_created_at() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  SELECT created_at INTO NEW.created_at FROM "message" WHERE id = NEW.message_id;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER message_recipient_created_at BEFORE INSERT ON message_recipient
  FOR EACH ROW WHEN (NEW.created_at IS NULL) EXECUTE FUNCTION set_recipient_created_at();
