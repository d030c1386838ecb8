-- Marks the stored content of deleted messages. The row has the name of the object, so it stays until the object is deleted.
-- Called by the trigger below.
CREATE OR REPLACE FUNCTION mark_content_deleted() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM message_content c USING deleted_message m WHERE c.message_id = m.id AND c.object_name IS NULL;
  UPDATE message_content c SET state = 'deleted', reason = 'message_deleted'
    FROM deleted_message m WHERE c.message_id = m.id;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER message_content_deleted AFTER DELETE ON message
  REFERENCING OLD TABLE AS deleted_message
  FOR EACH STATEMENT EXECUTE FUNCTION mark_content_deleted();
