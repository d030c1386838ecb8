-- Returns the bin of a delivery time. Bins are 5 % wide and start at 10 ms. least and greatest ignore null, so STRICT keeps
-- a null null. Bins are stored in analytics_delivery: a change of their width needs a recount of all days (npm run
-- rebuild-analytics).
-- Called by count_new_recipients, recount_recipients and analytics_fact; src/modules/analytics/delivery-times.ts reads the
-- bins.
CREATE OR REPLACE FUNCTION analytics_bin(took interval) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN least(400, floor(ln(greatest(extract(epoch FROM took), 0.01) / 0.01) / ln(1.05)))::smallint;
