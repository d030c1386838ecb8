-- Returns what find_suppressed_in_lists does for messages that belong to no mailing list.
-- Called by instances of the version before.
CREATE OR REPLACE FUNCTION find_suppressed(
  messages uuid[], sender_domains uuid[], are_transactional boolean[], moments timestamptz[], recipients jsonb[]
) RETURNS TABLE (message uuid, id uuid, address text, reason suppression_reason)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM find_suppressed_in_lists(messages, sender_domains, are_transactional, array_fill(NULL::text, ARRAY[cardinality(messages)]),
                                         moments, recipients);
END
$$;
