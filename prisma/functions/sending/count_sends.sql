-- Counts messages of one sender in the order of their moments, or returns the hourly limit that they exceed. The lock makes
-- this exact for concurrent messages of a domain; it is held until the transaction ends, so keep that short.
-- Called by src/modules/sending/submission/message-row.ts and src/modules/abuse.
--
-- Planner settings: plans are kept, because planning for its arrays took longer than running it, and stay good while the
-- tables grow. The two statements in EXECUTE are planned for their address: a few addresses may send most mail.
CREATE OR REPLACE FUNCTION count_sends(messages uuid[], moments timestamptz[], sender text, sender_domain uuid)
RETURNS TABLE (
  message uuid, result text, mailbox_id uuid, counted_from timestamptz, sent integer, allowed integer,
  free_at timestamptz
)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
DECLARE
  tick CONSTANT interval := '1 millisecond';
  total CONSTANT integer := cardinality(messages);
  hour_ago CONSTANT timestamptz(3) := moments[1] - interval '1 hour';
  start timestamptz(3);
  box record;
  mailbox_limit integer;
  domain_limit integer;
  by_sender integer;
  by_domain integer;
  counted integer;
BEGIN
  PERFORM pg_advisory_xact_lock(7203004, hashtext(sender_domain::text));
  SELECT t.mailbox_hourly, coalesce(d.hourly_send_limit, t.domain_hourly) INTO mailbox_limit, domain_limit
    FROM abuse_threshold t LEFT JOIN domain d ON d.id = sender_domain;
  SELECT m.id, m.suspended_at, m.rate_counted_from INTO box
    FROM mailbox m WHERE m.domain_id = sender_domain AND m.local_part = split_part(sender, '@', 1);
  IF box.suspended_at IS NOT NULL THEN
    RETURN QUERY SELECT m, 'suspended', box.id, box.rate_counted_from, NULL::integer, NULL::integer, NULL::timestamptz
                   FROM unnest(messages) AS m;
    RETURN;
  END IF;

  start := greatest(hour_ago, box.rate_counted_from - tick);
  -- The hours of all moments hold the same messages, or each is counted by itself.
  IF total > 1 AND (moments[1] <= start
                    OR count_sends_between(NULL, sender_domain, hour_ago, moments[total] - interval '1 hour') > 0) THEN
    RETURN QUERY SELECT c.* FROM generate_subscripts(messages, 1) AS n,
                               count_sends(messages[n:n], moments[n:n], sender, sender_domain) AS c;
    RETURN;
  END IF;
  by_sender := count_sends_after(sender, sender_domain, start);
  by_domain := count_sends_after(NULL, sender_domain, hour_ago);
  counted := greatest(0, least(total, mailbox_limit - by_sender, domain_limit - by_domain));

  IF counted > 0 THEN
    INSERT INTO counted_send (id, address, domain_id, at)
    SELECT m, sender, sender_domain, at FROM unnest(messages[:counted], moments[:counted]) AS given(m, at);
    UPDATE send_window w SET sent = w.sent + (SELECT count(*) FROM unnest(moments[:counted]) AS at WHERE at > w.since)
     WHERE w.subject IN (sender, sender_domain::text);
    RETURN QUERY SELECT m, 'counted', box.id, box.rate_counted_from, by_domain + n::integer - 1, domain_limit, NULL::timestamptz
                   FROM unnest(messages[:counted]) WITH ORDINALITY AS given(m, n);
  END IF;
  IF counted = total THEN RETURN; END IF;

  mailbox_id := box.id;
  counted_from := box.rate_counted_from;
  IF by_sender + counted >= mailbox_limit THEN
    result := 'address_limit';
    sent := by_sender + counted;
    allowed := mailbox_limit;
    EXECUTE 'SELECT at + interval ''1 hour'' FROM counted_send WHERE address = $1 AND at > $2 ORDER BY at OFFSET $3 LIMIT 1'
       INTO free_at USING sender, start, sent - allowed;
  ELSE
    result := 'domain_limit';
    sent := by_domain + counted;
    allowed := domain_limit;
    EXECUTE 'SELECT at + interval ''1 hour'' FROM counted_send WHERE domain_id = $1 AND at > $2 ORDER BY at OFFSET $3 LIMIT 1'
       INTO free_at USING sender_domain, hour_ago, sent - allowed;
  END IF;
  INSERT INTO limited_send (id, address, domain_id, at)
  SELECT m, sender, sender_domain, at FROM unnest(messages[counted + 1:], moments[counted + 1:]) AS given(m, at);
  FOREACH message IN ARRAY messages[counted + 1:] LOOP
    RETURN NEXT;
  END LOOP;
END
$$;
