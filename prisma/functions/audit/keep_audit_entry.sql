-- Keeps the audit log append-only: entries can only be sealed once, not changed, and deleted only after they are archived.
-- Called by the triggers below.
CREATE OR REPLACE FUNCTION keep_audit_entry() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  expected "audit_entry";
BEGIN
  IF TG_OP = 'UPDATE' THEN
    expected := OLD;
    IF OLD.seq IS NULL THEN
      expected.seq := NEW.seq;
      expected.prev_hash := NEW.prev_hash;
      expected.hash := NEW.hash;
      expected.sealed_at := NEW.sealed_at;
    END IF;
    IF NEW IS NOT DISTINCT FROM expected THEN RETURN NEW; END IF;
  ELSIF TG_OP = 'DELETE' THEN
    IF OLD.seq <= (SELECT seq FROM "audit_archived") THEN RETURN OLD; END IF;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END
$$;

CREATE OR REPLACE TRIGGER audit_entry_kept BEFORE DELETE OR UPDATE ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION keep_audit_entry();

CREATE OR REPLACE TRIGGER audit_entry_not_truncated BEFORE TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_entry();
