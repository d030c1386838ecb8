-- Numbers committed events in one order for all readers, so that a reader never misses an event: only one caller at a time
-- assigns numbers, and events of open transactions get later ones. Returns how many got one.
-- Called by src/modules/events/sequence.ts.
CREATE OR REPLACE FUNCTION sequence_events(at_once integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  placed integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7203007) THEN
    RETURN 0;
  END IF;
  UPDATE event SET sequence = next.sequence
    FROM (SELECT waiting.id, nextval('event_sequence') AS sequence
            FROM (SELECT e.id FROM event e WHERE e.sequence IS NULL AND NOT e.is_test ORDER BY e.id LIMIT at_once) waiting
         ) next
   WHERE event.id = next.id;
  GET DIAGNOSTICS placed = ROW_COUNT;
  RETURN placed;
END
$$;
