-- Returns a UUID that sorts by time (RFC 9562). Built into Postgres from version 18.
-- Called by emit_events.
CREATE OR REPLACE FUNCTION uuid_v7() RETURNS uuid
LANGUAGE sql
AS $$
  SELECT encode(set_bit(set_bit(
           overlay(uuid_send(gen_random_uuid())
             PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
           52, 1), 53, 1), 'hex')::uuid
$$;
