-- Locks the outbound messages that reports are about, and returns each as of when all locks are held, with its recipients
-- and the numbers of the reports, from 1. A report names a message by Message-ID, since the queue id may not be stored yet.
-- Other mail may copy a Message-ID, so a known queue id must match too. Without a Message-ID, the queue id names the
-- message.
-- Called by src/modules/messages/tracking/reported.ts.
--
-- Planner settings: the plan is kept while the tables grow, so it finds rows by their keys even where reading a small table
-- would be quicker. A plan for the values of its arrays looks cheaper than a kept one, and planning takes longer than
-- running it.
CREATE OR REPLACE FUNCTION lock_reported(message_ids text[], queue_ids text[])
RETURNS TABLE (
  reports integer[], id uuid, message_id text, queue_id text, status text, from_address text, to_addresses text[],
  subject text, created_at timestamptz, domain_id uuid, domain_name text, recipients jsonb
)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  named CONSTANT uuid[] := ARRAY(
    SELECT CASE WHEN given.message_id IS NULL
                THEN (SELECT m.id FROM (SELECT * FROM message m WHERE m.queue_id = given.queue_id OFFSET 0) AS m
                       WHERE m.direction = 'outbound' ORDER BY m.created_at DESC LIMIT 1)
                ELSE (SELECT m.id FROM (SELECT * FROM message m WHERE m.message_id = given.message_id OFFSET 0) AS m
                       WHERE m.direction = 'outbound' AND (given.queue_id IS NULL OR m.queue_id IS NULL OR m.queue_id = given.queue_id)
                       ORDER BY m.created_at DESC LIMIT 1) END
      FROM unnest(message_ids, queue_ids) WITH ORDINALITY AS given(message_id, queue_id, n) ORDER BY n);
BEGIN
  PERFORM FROM message m WHERE m.id = ANY (named) ORDER BY m.id FOR UPDATE;
  RETURN QUERY
    SELECT given.reports, m.id, m.message_id, m.queue_id, m.status::text, m.from_address, m.to_addresses, m.subject, m.created_at,
           m.domain_id, d.name, coalesce(
             (SELECT jsonb_agg(to_jsonb(r) ORDER BY r.id) FROM message_recipient r WHERE r.message_id = m.id), '[]')
      FROM (SELECT id, array_agg(n::integer) AS reports FROM unnest(named) WITH ORDINALITY AS each(id, n)
             WHERE id IS NOT NULL GROUP BY id) AS given
      JOIN message m ON m.id = given.id LEFT JOIN "domain" d ON d.id = m.domain_id;
END
$$;
