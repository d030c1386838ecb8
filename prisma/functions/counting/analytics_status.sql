-- Returns the status that a message counts as. A failed outbound message without a queue id was never accepted: it is
-- rejected. STABLE, as the name of an enum's value isn't immutable: Postgres inlines the function only so.
-- Called by count_new_messages, recount_messages and analytics_fact.
CREATE OR REPLACE FUNCTION analytics_status(status message_status, direction direction, queue_id text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN status = 'failed' AND direction = 'outbound' AND queue_id IS NULL THEN 'rejected' ELSE status::text END;
