-- Plans for the values of their arrays look cheaper than kept ones, so Postgres would plan on each call, which takes longer than
-- running the statements.
ALTER FUNCTION lock_reported(text[], text[]) SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION record_reports(jsonb) SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION receive_inbound(jsonb, boolean) SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION store_inbound(jsonb) SET plan_cache_mode = force_generic_plan;
