-- Sets when an alert notified of its opening: at once, or never so far while it is muted. A mute that begins later changes nothing.
-- Called by the trigger below.
CREATE OR REPLACE FUNCTION set_alert_notified() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.notified_at := CASE WHEN (alert_muted_until(NEW.kind, NEW.severity, NEW.domain_id, NEW.subject) > now()) IS NOT TRUE THEN now() END;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER alert_opening BEFORE INSERT ON alert
  FOR EACH ROW EXECUTE FUNCTION set_alert_notified();
