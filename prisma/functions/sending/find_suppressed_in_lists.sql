-- Returns the recipients of messages that are suppressed for the message's domain or for all domains, each with the first reason
-- that holds. `recipients` has, for each message, their ids and addresses, and as `suppression_address` what
-- src/lib/mail/suppression.ts makes of them. Mail to a mailbox of this server is not suppressed, and a transactional message not by
-- an unsubscribe. A suppression of a mailing list holds for messages of that list of the domain; `lists` has null for messages of none.
-- Called by src/modules/sending/submission/message-row.ts, once for all messages, because a call takes longer than a look-up.
--
-- Planner settings: the plan is kept while the table grows, so it finds rows by their keys even where reading a small table would
-- be quicker.
CREATE OR REPLACE FUNCTION find_suppressed_in_lists(
  messages uuid[], sender_domains uuid[], are_transactional boolean[], lists text[], moments timestamptz[], recipients jsonb[]
) RETURNS TABLE (message uuid, id uuid, address text, reason suppression_reason)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  RETURN QUERY
  SELECT given.message, r.id, r.address, found.reason
    FROM unnest(messages, sender_domains, are_transactional, lists, moments, recipients)
           AS given(message, domain_id, is_transactional, list, at, recipients),
         jsonb_to_recordset(given.recipients) AS r(id uuid, address text, suppression_address text),
         LATERAL (SELECT s.reason FROM suppression s
                   WHERE s.email = r.suppression_address AND (s.domain_id IS NULL OR s.domain_id = given.domain_id)
                     AND (s.list IS NULL OR s.list = given.list) AND (s.expires_at IS NULL OR s.expires_at > given.at)
                     AND NOT (given.is_transactional AND s.reason = 'unsubscribe')
                   ORDER BY s.reason LIMIT 1) AS found
   WHERE NOT EXISTS (SELECT FROM mailbox m JOIN domain d ON d.id = m.domain_id
                      WHERE d.name = split_part(r.suppression_address, '@', 2)
                        AND m.local_part = split_part(r.suppression_address, '@', 1));
END
$$;
