-- Counts the outbound recipients that a statement inserts, like count_new_messages.
-- Called by the trigger below.
--
-- Planner settings: each recipient finds its message by the key. The plan is kept while the tables grow, and one with a join
-- read all messages.
CREATE OR REPLACE FUNCTION count_new_recipients() RETURNS trigger
LANGUAGE plpgsql
SET enable_seqscan = off
AS $$
BEGIN
  INSERT INTO analytics_change (delta, at, domain_id, direction, status, recipient_domain, smtp_code, category, delivery_bin)
  SELECT count(*), analytics_quarter(r.created_at) AS at, m.domain_id, m.direction,
         analytics_recipient_status(r.status, r.cause) AS status, split_part(r.address, '@', 2) AS recipient_domain,
         CASE WHEN r.status <> 'sent' THEN r.smtp_code END AS smtp_code, r.category,
         analytics_bin(r.delivered_at - r.created_at) AS delivery_bin
    FROM added r, LATERAL (SELECT domain_id, direction FROM message WHERE id = r.message_id OFFSET 0) AS m
   WHERE m.direction = 'outbound' AND r.status NOT IN ('submitting', 'uncertain', 'scheduled', 'cancelled')
   GROUP BY 2, 3, 4, 5, 6, 7, 8, 9;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER message_recipient_counted AFTER INSERT ON message_recipient
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_recipients();
