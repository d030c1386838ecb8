-- Returns the status that a recipient counts as. One that the mail server didn't accept is rejected, not failed. STABLE, as
-- the name of an enum's value isn't immutable: Postgres inlines the function only so.
-- Called by count_new_recipients, recount_recipients and analytics_fact.
CREATE OR REPLACE FUNCTION analytics_recipient_status(status message_status, cause outcome_cause) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN status = 'failed' AND cause IN ('rejected', 'not_submitted') THEN 'rejected' ELSE status::text END;
