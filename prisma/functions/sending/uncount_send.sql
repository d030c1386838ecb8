-- Takes back the count of a message that the mail server refused. Locks as count_sends does, so that neither waits for the
-- other.
-- Called by record_submissions.
CREATE OR REPLACE FUNCTION uncount_send(message uuid) RETURNS void
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
