-- Sets when an alert notified by email and webhook: as it opens, or never so far while it is muted.
-- Called by the trigger below.
CREATE OR REPLACE FUNCTION set_alert_notified() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.notified_at := CASE WHEN NOT alert_is_muted(NEW.kind, NEW.severity, NEW.domain_id, NEW.subject) THEN now() END;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER alert_opening BEFORE INSERT ON alert
  FOR EACH ROW EXECUTE FUNCTION set_alert_notified();
