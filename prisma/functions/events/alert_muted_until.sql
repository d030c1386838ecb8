-- When the last of the mutes of such alerts ends: infinity if one has no end, null if there is none. Alerts notify nobody until then.
-- A subject matches in any case, and a webhook's also by its host alone, as the console shows it.
-- Called by a trigger, and by the app when it notifies.
CREATE OR REPLACE FUNCTION alert_muted_until(
  given_kind alert_kind, given_severity alert_severity, given_domain_id uuid, given_subject text
) RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
  SELECT max(coalesce(ends_at, 'infinity'))
    FROM alert_mute
   WHERE (kind IS NULL OR kind = given_kind)
     AND (severity IS NULL OR severity = given_severity)
     AND (domain_id IS NULL OR domain_id = given_domain_id)
     AND (subject IS NULL OR lower(subject) = lower(given_subject)
          OR (given_kind = 'webhook_failing' AND lower(subject) = lower(split_part(given_subject, ' (', 1))))
$$;
