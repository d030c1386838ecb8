-- Returns the number of messages counted after `start`, exactly, and moves the window there. The window is locked before
-- anything is counted.
-- Called by count_sends.
CREATE OR REPLACE FUNCTION count_sends_after(sender text, sender_domain uuid, start timestamptz) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  name CONSTANT text := coalesce(sender, sender_domain::text);
  known send_window;
BEGIN
  SELECT * INTO known FROM send_window WHERE subject = name FOR UPDATE;
  -- The clock of another instance is ahead.
  IF known.since > start THEN
    RETURN known.sent + count_sends_between(sender, sender_domain, start, known.since);
  END IF;
  IF known.since >= start - interval '1 hour' THEN
    known.sent := known.sent - count_sends_between(sender, sender_domain, known.since, start);
  ELSE
    known.sent := count_sends_between(sender, sender_domain, start, 'infinity');
  END IF;
  INSERT INTO send_window (subject, since, sent) VALUES (name, start, known.sent)
      ON CONFLICT (subject) DO UPDATE SET since = excluded.since, sent = excluded.sent;
  RETURN known.sent;
END
$$;
