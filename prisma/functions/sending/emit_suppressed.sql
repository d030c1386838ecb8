-- Emits mail.suppressed for each recipient that a message leaves out, with the body that src/modules/events/schema.ts describes.
-- `given` has the message, and `message_row_id` only if the message is sent to others.
-- Called by src/modules/sending/submission/message-row.ts.
CREATE OR REPLACE FUNCTION emit_suppressed(given jsonb) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM emit_events(jsonb_agg(jsonb_build_object(
      'id', id, 'type', 'mail.suppressed', 'domain_id', domain_id, 'message_row_id', message_row_id, 'recipient', recipient, 'at', at,
      'body', json_build_object(
        'id', coalesce(message_id, id::text), 'event', 'mail.suppressed',
        'timestamp', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'data', (left(data, -1) || coalesce(', "tags" : ' || tags, '') || coalesce(', "metadata" : ' || metadata, '')
                  || coalesce(', "template" : ' || template, '') || '}')::json
      )::text)))
    FROM (SELECT uuid_v7() AS id, m.*, json_build_object(
                   'message_id', message_id, 'from', from_address, 'to', to_addresses, 'recipient', recipient, 'subject', subject,
                   'domain', domain, 'reason', reason)::text AS data
            FROM jsonb_to_recordset(given) AS m(
                   message_row_id uuid, message_id text, domain_id uuid, domain text, from_address text, to_addresses text[],
                   subject text, recipient text, reason text, at timestamptz, tags text, metadata text, template text)
          OFFSET 0) AS event;
END
$$;
