-- When a password was last changed, null for the first one. Records don't show passwords, so this tells two versions of a
-- record apart (src/lib/record-version.ts). It moves on with each password, whatever the clock says.
ALTER TABLE "admin" ADD COLUMN "password_changed_at" TIMESTAMPTZ(3);
ALTER TABLE "mailbox" ADD COLUMN "password_changed_at" TIMESTAMPTZ(3);

CREATE FUNCTION password_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.password_changed_at := greatest(clock_timestamp(), OLD.password_changed_at + interval '1 millisecond');
  RETURN NEW;
END
$$;

CREATE TRIGGER admin_password_changed BEFORE UPDATE OF password_hash ON admin
  FOR EACH ROW WHEN (NEW.password_hash IS DISTINCT FROM OLD.password_hash) EXECUTE FUNCTION password_changed();

CREATE TRIGGER mailbox_password_changed BEFORE UPDATE OF password_hash ON mailbox
  FOR EACH ROW WHEN (NEW.password_hash IS DISTINCT FROM OLD.password_hash) EXECUTE FUNCTION password_changed();
