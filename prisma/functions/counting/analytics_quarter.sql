-- Returns the beginning of the quarter of an hour that a moment is in, in UTC. The finest time that statistics know.
-- Called by what counts messages and recipients, and by analytics_fact.
CREATE OR REPLACE FUNCTION analytics_quarter(moment timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN date_bin('15 minutes', moment, '2000-01-01T00:00:00Z');
