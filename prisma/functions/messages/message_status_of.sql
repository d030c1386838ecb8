-- Returns the status of an accepted message, which follows from those of its recipients: `deferred` while any is deferred, `sent`
-- while any has no result, then `bounced` if any bounced, `failed` if any failed, else `delivered`. A final status of a
-- recipient changes only from delivered to bounced, if the receiving server reports that later. A message whose recipients aren't known yet is `sent`.
-- Called by record_reports, record_submissions and src/modules/messages/mail-log/outbound/submitted.ts.
CREATE OR REPLACE FUNCTION message_status_of(message uuid) RETURNS message_status
LANGUAGE sql STABLE
AS $$
  SELECT CASE WHEN count(*) = 0 THEN 'sent'
              WHEN bool_or(status = 'deferred') THEN 'deferred'
              WHEN bool_or(status NOT IN ('delivered', 'bounced', 'failed')) THEN 'sent'
              WHEN bool_or(status = 'bounced') THEN 'bounced'
              WHEN bool_or(status = 'failed') THEN 'failed'
              ELSE 'delivered' END::message_status
    FROM message_recipient WHERE message_id = message
$$;
