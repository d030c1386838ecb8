-- Sets how full a mailbox is, to sort by and to find those that are nearly full. A quota of 0 is full.
-- Called by the trigger below.
CREATE OR REPLACE FUNCTION set_mailbox_percent_full() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.percent_full := CASE
    WHEN NEW.quota_bytes IS NULL THEN 0
    WHEN NEW.quota_bytes = 0 THEN 100
    ELSE least(1000, floor(100.0 * NEW.used_bytes / NEW.quota_bytes)) END;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER mailbox_percent_full BEFORE INSERT OR UPDATE OF used_bytes, quota_bytes, percent_full ON mailbox
  FOR EACH ROW EXECUTE FUNCTION set_mailbox_percent_full();
