-- Holds the scheduled messages of a database that was put back: since the dump or the backup was made, they may have been sent. A
-- held message is sent only if it is rescheduled. One that was being sent then is settled like one whose process ended. Returns how
-- many are held.
-- Called by src/modules/backups/restore/load.ts, and by an operator who rolls back (docs/mail-server.md).
CREATE OR REPLACE FUNCTION hold_scheduled() RETURNS integer
LANGUAGE sql
AS $$
  WITH under_way AS (
    DELETE FROM scheduled_message s USING message m WHERE m.id = s.message_id AND m.status <> 'scheduled'
  ), held AS (
    UPDATE scheduled_message s SET next_attempt_at = NULL, lease_token = NULL
      FROM message m WHERE m.id = s.message_id AND m.status = 'scheduled' AND s.next_attempt_at IS NOT NULL
    RETURNING s.message_id
  ), traced AS (
    INSERT INTO message_event (id, message_id, type, at, detail)
    SELECT uuid_v7(), message_id, 'rescheduled', now(), '{"send_at": null, "reason": "It may have been sent since the backup."}'
      FROM held
  ), marked AS (
    UPDATE message m SET send_at = NULL FROM held WHERE m.id = held.message_id RETURNING m.id
  )
  SELECT count(*)::integer FROM marked
$$;
