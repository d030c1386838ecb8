-- Queues the email about an alert, in the transaction that opens or closes it. An alert that an admin reopens and closes
-- again has no second email.
-- Called by the triggers below.
CREATE OR REPLACE FUNCTION queue_alert_email() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO alert_email (alert_id, change)
  VALUES (NEW.id, CASE TG_OP WHEN 'INSERT' THEN 'opened' ELSE 'closed' END::alert_change)
      ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER alert_closed AFTER UPDATE OF status ON alert
  FOR EACH ROW WHEN (NEW.status = 'closed' AND OLD.status <> 'closed') EXECUTE FUNCTION queue_alert_email();

CREATE OR REPLACE TRIGGER alert_opened AFTER INSERT ON alert
  FOR EACH ROW EXECUTE FUNCTION queue_alert_email();
