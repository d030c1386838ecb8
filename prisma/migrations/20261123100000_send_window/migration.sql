-- How many messages of an address (lower case), or of a domain (its id), were counted after a moment. It moves forward with the
-- hour, so that each message is looked at twice, when it is counted and when it leaves the hour, however many there are.
CREATE TABLE "send_window" (
    "subject" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "sent" INTEGER NOT NULL,

    CONSTRAINT "send_window_pkey" PRIMARY KEY ("subject")
);

-- Every send updates two rows, in place while their pages have room.
ALTER TABLE "send_window" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- The messages counted in a time range, by address, or by domain if there is no address. Both ends are given, because a plan
-- for any value would scan the whole table for an open range.
CREATE FUNCTION count_sends_between(sender text, sender_domain uuid, after timestamptz, until timestamptz) RETURNS integer
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  IF sender IS NULL THEN
    RETURN (SELECT count(*) FROM counted_send WHERE domain_id = sender_domain AND at > after AND at <= until);
  END IF;
  RETURN (SELECT count(*) FROM counted_send WHERE address = sender AND at > after AND at <= until);
END
$$;

-- The messages counted after `start`, exactly, and moves the window there. The window is locked before anything is counted.
CREATE FUNCTION count_sends_after(sender text, sender_domain uuid, start timestamptz) RETURNS integer
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

-- Counts one message, or returns the hourly limit that it exceeds. The lock makes this exact for concurrent messages of a
-- domain; it is held until the transaction ends, so keep that short.
CREATE OR REPLACE FUNCTION count_send(message uuid, sender text, sender_domain uuid, moment timestamptz)
RETURNS TABLE (result text, mailbox_id uuid, counted_from timestamptz, sent integer, allowed integer, free_at timestamptz)
LANGUAGE plpgsql
AS $$
DECLARE
  hour_ago CONSTANT timestamptz(3) := moment - interval '1 hour';
  tick CONSTANT interval := '1 millisecond';
  start timestamptz(3);
  box record;
  mailbox_limit integer;
  domain_limit integer;
BEGIN
  PERFORM pg_advisory_xact_lock(7203004, hashtext(sender_domain::text));
  SELECT t.mailbox_hourly, coalesce(d.hourly_send_limit, t.domain_hourly) INTO mailbox_limit, domain_limit
    FROM abuse_threshold t LEFT JOIN domain d ON d.id = sender_domain;
  SELECT m.id, m.suspended_at, m.rate_counted_from INTO box
    FROM mailbox m WHERE m.domain_id = sender_domain AND m.local_part = split_part(sender, '@', 1);
  mailbox_id := box.id;
  counted_from := box.rate_counted_from;
  IF box.suspended_at IS NOT NULL THEN
    result := 'suspended';
    RETURN NEXT;
    RETURN;
  END IF;

  allowed := mailbox_limit;
  start := greatest(hour_ago, box.rate_counted_from - tick);
  sent := count_sends_after(sender, sender_domain, start);
  IF sent >= allowed THEN
    result := 'address_limit';
    EXECUTE 'SELECT at + interval ''1 hour'' FROM counted_send WHERE address = $1 AND at > $2 ORDER BY at OFFSET $3 LIMIT 1'
       INTO free_at USING sender, start, sent - allowed;
  ELSE
    allowed := domain_limit;
    sent := count_sends_after(NULL, sender_domain, hour_ago);
    IF sent >= allowed THEN
      result := 'domain_limit';
      EXECUTE 'SELECT at + interval ''1 hour'' FROM counted_send WHERE domain_id = $1 AND at > $2 ORDER BY at OFFSET $3 LIMIT 1'
         INTO free_at USING sender_domain, hour_ago, sent - allowed;
    ELSE
      result := 'counted';
    END IF;
  END IF;

  IF result = 'counted' THEN
    INSERT INTO counted_send (id, address, domain_id, at) VALUES (message, sender, sender_domain, moment);
    UPDATE send_window w SET sent = w.sent + 1
     WHERE w.subject IN (count_send.sender, sender_domain::text) AND w.since < moment;
  ELSE
    INSERT INTO limited_send (id, address, domain_id, at) VALUES (message, sender, sender_domain, moment);
  END IF;
  RETURN NEXT;
END
$$;

-- Reverses the count of a message that the mail server refused. Locks as count_send does, so that neither waits for the other.
CREATE FUNCTION uncount_send(message uuid) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  gone counted_send;
BEGIN
  SELECT * INTO gone FROM counted_send WHERE id = message;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(7203004, hashtext(gone.domain_id::text));
  DELETE FROM counted_send WHERE id = message;
  IF FOUND THEN
    UPDATE send_window SET sent = sent - 1 WHERE subject IN (gone.address, gone.domain_id::text) AND since < gone.at;
  END IF;
END
$$;
