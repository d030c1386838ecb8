-- Sets the search key of a message: the subject, the sender and all recipients, a line each. Every word is preceded by a
-- space, including the first of a line.
-- Called by the trigger below.
CREATE OR REPLACE FUNCTION set_message_search_key() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.search_key := ' ' || search_key(NEW.subject) || E'\n '
    || search_key(concat_ws(E'\n ', NEW.from_address, array_to_string(NEW.to_addresses, E'\n '),
                            array_to_string(NEW.copy_addresses, E'\n ')));
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER message_search_key
  BEFORE INSERT OR UPDATE OF subject, from_address, to_addresses, copy_addresses, search_key ON message
  FOR EACH ROW EXECUTE FUNCTION set_message_search_key();
