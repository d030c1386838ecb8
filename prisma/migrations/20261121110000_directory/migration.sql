-- AlterTable
ALTER TABLE "alias" ADD COLUMN     "destination_keys" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "mailbox" ADD COLUMN     "rate_counted_from" TIMESTAMPTZ(3),
ADD COLUMN     "suspension_note" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "used_bytes" BIGINT NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "alias_destination_keys_idx" ON "alias" USING GIN ("destination_keys");

-- CreateIndex
CREATE INDEX "alias_created_at_id_idx" ON "alias"("created_at", "id");

-- CreateIndex
CREATE INDEX "alias_domain_id_created_at_id_idx" ON "alias"("domain_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "mailbox_created_at_id_idx" ON "mailbox"("created_at", "id");

-- CreateIndex
CREATE INDEX "mailbox_domain_id_created_at_id_idx" ON "mailbox"("domain_id", "created_at", "id");



-- Alias chains are detected by looking up the aliases that deliver to an address, case-insensitively.
CREATE FUNCTION alias_destination_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.destination_keys := string_to_array(replace(lower(NEW.destination), ' ', ''), ',');
  RETURN NEW;
END
$$;

CREATE TRIGGER alias_destination_keys BEFORE INSERT OR UPDATE OF destination, destination_keys ON "alias"
  FOR EACH ROW EXECUTE FUNCTION alias_destination_keys();

UPDATE "alias" SET destination_keys = '{}';
