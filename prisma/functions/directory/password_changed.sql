-- Sets when a password was last changed. Records don't show passwords, so this tells two versions of a record apart
-- (src/lib/record-version.ts). The time moves on with each password, whatever the clock says.
-- Called by the triggers below.
CREATE OR REPLACE FUNCTION password_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.password_changed_at := greatest(clock_timestamp(), OLD.password_changed_at + interval '1 millisecond');
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER admin_password_changed BEFORE UPDATE OF password_hash ON admin
  FOR EACH ROW WHEN (NEW.password_hash IS DISTINCT FROM OLD.password_hash) EXECUTE FUNCTION password_changed();

CREATE OR REPLACE TRIGGER mailbox_password_changed BEFORE UPDATE OF password_hash ON mailbox
  FOR EACH ROW WHEN (NEW.password_hash IS DISTINCT FROM OLD.password_hash) EXECUTE FUNCTION password_changed();
