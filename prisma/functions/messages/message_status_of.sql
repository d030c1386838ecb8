-- Returns a message's status from those of its recipients, as statusOf in src/modules/messages/tracking/locked-message.ts.
-- Called by record_submissions.
CREATE OR REPLACE FUNCTION message_status_of(message uuid) RETURNS message_status
LANGUAGE sql STABLE
AS $$
  SELECT CASE WHEN bool_or(status = 'deferred') THEN 'deferred'
              WHEN bool_or(status NOT IN ('delivered', 'bounced', 'failed')) THEN 'sent'
              WHEN bool_or(status = 'bounced') THEN 'bounced'
              WHEN bool_or(status = 'failed') THEN 'failed'
              ELSE 'delivered' END::message_status
    FROM message_recipient WHERE message_id = message
$$;
