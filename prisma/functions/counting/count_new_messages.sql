-- Counts the messages that a statement inserts: one row in analytics_change for those that count the same, with their
-- number. fold_analytics adds these rows up.
-- Called by the trigger below.
CREATE OR REPLACE FUNCTION count_new_messages() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO analytics_change (delta, at, domain_id, direction, status, sender, api_key_id, tags)
  SELECT count(*), analytics_quarter(created_at) AS at, domain_id, direction, analytics_status(status, direction, queue_id) AS status,
         CASE WHEN direction = 'outbound' THEN lower(from_address) END AS sender, api_key_id, tags
    FROM added GROUP BY 2, 3, 4, 5, 6, 7, 8;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER message_counted AFTER INSERT ON message
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_messages();
