-- Counts what a statement changed in messages, as what it takes from the counts and adds to them. What a message leaves and
-- enters are rows of their own, even if another enters what it leaves: message_total counts what they have ever entered.
-- Called by the trigger below.
CREATE OR REPLACE FUNCTION recount_messages() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO analytics_change (delta, at, domain_id, direction, status, sender, api_key_id, tags)
  SELECT sum(delta), analytics_quarter(created_at), domain_id, direction, status,
         CASE WHEN direction = 'outbound' THEN lower(from_address) END AS sender, api_key_id, tags
    FROM (SELECT sum(delta) AS delta, created_at, domain_id, direction, analytics_status(status, direction, queue_id) AS status,
                 from_address, api_key_id, tags
            FROM (SELECT -1 AS delta, * FROM before UNION ALL SELECT 1, * FROM after) AS m
           GROUP BY id, 2, 3, 4, 5, 6, 7, 8 HAVING sum(delta) <> 0) AS changed
   GROUP BY sign(delta), 2, 3, 4, 5, 6, 7, 8;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER message_recounted AFTER UPDATE ON message
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION recount_messages();
