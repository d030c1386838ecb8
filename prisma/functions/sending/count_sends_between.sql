-- Returns the number of messages counted in a time range, by address, or by domain if there is no address. Both ends are
-- given, because a plan for any value would scan the whole table for an open range.
-- Called by count_sends and count_sends_after.
CREATE OR REPLACE FUNCTION count_sends_between(sender text, sender_domain uuid, after timestamptz, until timestamptz)
RETURNS integer
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  IF sender IS NULL THEN
    RETURN (SELECT count(*) FROM counted_send WHERE domain_id = sender_domain AND at > after AND at <= until);
  END IF;
  RETURN (SELECT count(*) FROM counted_send WHERE address = sender AND at > after AND at <= until);
END
$$;
