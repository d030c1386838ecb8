-- Returns what find_suppressed_in_lists does. Only a scheduled message that an instance of this version stored can belong to a mailing
-- list.
-- Called by instances of the version before.
CREATE OR REPLACE FUNCTION find_suppressed(
  messages uuid[], sender_domains uuid[], are_transactional boolean[], moments timestamptz[], recipients jsonb[]
) RETURNS TABLE (message uuid, id uuid, address text, reason suppression_reason)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM find_suppressed_in_lists(messages, sender_domains, are_transactional,
                                         ARRAY(SELECT s.list FROM unnest(messages) WITH ORDINALITY AS given(id, place)
                                                 LEFT JOIN scheduled_message s ON s.message_id = given.id ORDER BY given.place),
                                         moments, recipients);
END
$$;
