-- Sets the search key of a suppression: the address and, on a line of its own, its domain, each after a space, so that a search
-- of one or two characters matches the start of either.
-- Called by the trigger below.
CREATE OR REPLACE FUNCTION set_suppression_search_key() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.search_key := ' ' || search_key(NEW.email || E'\n ' || split_part(NEW.email, '@', 2));
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER suppression_search_key
  BEFORE INSERT OR UPDATE OF email, search_key ON suppression
  FOR EACH ROW EXECUTE FUNCTION set_suppression_search_key();
