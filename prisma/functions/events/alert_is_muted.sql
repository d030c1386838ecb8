-- Whether alerts of this kind, severity, domain and subject notify nobody now.
-- Called by triggers, and by the app when it emits events about alerts.
CREATE OR REPLACE FUNCTION alert_is_muted(
  given_kind alert_kind, given_severity alert_severity, given_domain_id uuid, given_subject text
) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT EXISTS (
    SELECT FROM alert_mute
     WHERE (ends_at IS NULL OR ends_at > now())
       AND (kind IS NULL OR kind = given_kind)
       AND (severity IS NULL OR severity = given_severity)
       AND (domain_id IS NULL OR domain_id = given_domain_id)
       AND (subject IS NULL OR subject = given_subject)
  )
$$;
