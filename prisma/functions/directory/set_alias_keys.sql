-- Sets the keys of an alias. Alias chains are detected by looking up the aliases that deliver to an address,
-- case-insensitively. A search compares the search key, which has each part on a line of its own and a space before every
-- word, including the first.
-- Called by the trigger below.
CREATE OR REPLACE FUNCTION set_alias_keys() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.destination_keys := string_to_array(replace(lower(NEW.destination), ' ', ''), ',');
  NEW.search_key := ' ' || search_key(NEW.source_local_part || E'\n ' || replace(NEW.destination, ',', E'\n '));
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER alias_keys
  BEFORE INSERT OR UPDATE OF source_local_part, destination, destination_keys, search_key ON alias
  FOR EACH ROW EXECUTE FUNCTION set_alias_keys();
