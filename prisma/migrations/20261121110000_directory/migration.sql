-- AlterTable
ALTER TABLE "alias" ADD COLUMN     "destination_keys" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "search_key" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "mailbox" ADD COLUMN     "rate_counted_from" TIMESTAMPTZ(3),
ADD COLUMN     "search_key" TEXT NOT NULL DEFAULT '',
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

-- CreateIndex
CREATE INDEX "alias_source_local_part_id_idx" ON "alias"("source_local_part", "id");

-- CreateIndex
CREATE INDEX "alias_search_key_idx" ON "alias" USING GIN ("search_key" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "mailbox_local_part_id_idx" ON "mailbox"("local_part", "id");

-- CreateIndex
CREATE INDEX "mailbox_search_key_idx" ON "mailbox" USING GIN ("search_key" gin_trgm_ops);



-- Alias chains are detected by looking up the aliases that deliver to an address, case-insensitively. A search compares the
-- search key, which has each part on a line of its own and a space before every word, including the first.
CREATE FUNCTION set_alias_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.destination_keys := string_to_array(replace(lower(NEW.destination), ' ', ''), ',');
  NEW.search_key := ' ' || search_key(NEW.source_local_part || E'\n ' || replace(NEW.destination, ',', E'\n '));
  RETURN NEW;
END
$$;

CREATE TRIGGER alias_keys BEFORE INSERT OR UPDATE OF source_local_part, destination, destination_keys, search_key ON "alias"
  FOR EACH ROW EXECUTE FUNCTION set_alias_keys();

UPDATE "alias" SET destination_keys = '{}';

CREATE FUNCTION set_mailbox_search_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search_key := ' ' || search_key(NEW.local_part || E'\n ' || NEW.display_name);
  RETURN NEW;
END
$$;

CREATE TRIGGER mailbox_search_key BEFORE INSERT OR UPDATE OF local_part, display_name, search_key ON "mailbox"
  FOR EACH ROW EXECUTE FUNCTION set_mailbox_search_key();

UPDATE "mailbox" SET search_key = '';

