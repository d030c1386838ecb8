-- Sets the search key of a mailbox: its address and its display name, a line each.
-- Called by the trigger below.
CREATE OR REPLACE FUNCTION set_mailbox_search_key() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.search_key := ' ' || search_key(NEW.local_part || E'\n ' || NEW.display_name);
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER mailbox_search_key BEFORE INSERT OR UPDATE OF local_part, display_name, search_key ON mailbox
  FOR EACH ROW EXECUTE FUNCTION set_mailbox_search_key();
