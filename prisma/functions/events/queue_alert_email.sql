-- Queues the email about an alert, in the transaction that opens or closes it, or that ends its mute. Only an alert whose opening was
-- emailed, or waits to be, has an email when it closes. One that an admin reopens and closes again has no second email.
-- Called by the triggers below, with the change.
CREATE OR REPLACE FUNCTION queue_alert_email() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_ARGV[0] = 'closed' AND NOT EXISTS (SELECT FROM alert_email WHERE alert_id = NEW.id AND change = 'opened') THEN
    RETURN NULL;
  END IF;
  INSERT INTO alert_email (alert_id, change)
  VALUES (NEW.id, TG_ARGV[0]::alert_change)
      ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER alert_closed AFTER UPDATE OF status ON alert
  FOR EACH ROW WHEN (NEW.status = 'closed' AND OLD.status <> 'closed') EXECUTE FUNCTION queue_alert_email('closed');

CREATE OR REPLACE TRIGGER alert_opened AFTER INSERT ON alert
  FOR EACH ROW WHEN (NEW.notified_at IS NOT NULL) EXECUTE FUNCTION queue_alert_email('opened');

CREATE OR REPLACE TRIGGER alert_unmuted AFTER UPDATE OF notified_at ON alert
  FOR EACH ROW WHEN (OLD.notified_at IS NULL AND NEW.notified_at IS NOT NULL) EXECUTE FUNCTION queue_alert_email('opened');
