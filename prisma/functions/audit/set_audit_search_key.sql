-- Sets the search key of a new entry. Its hash doesn't cover the key.
-- Called by the trigger below.
CREATE OR REPLACE FUNCTION set_audit_search_key() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.search_key := audit_search_key(NEW);
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER audit_entry_search_key BEFORE INSERT ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION set_audit_search_key();
