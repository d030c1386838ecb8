-- DropIndex
DROP INDEX "message_subject_key_idx";

-- AlterTable
ALTER TABLE "message" RENAME COLUMN "subject_key" TO "search_key";
ALTER TABLE "message" ADD COLUMN "copy_addresses" TEXT[];

DROP TRIGGER message_subject_key ON "message";
DROP FUNCTION set_subject_key();

-- The subject, the sender and all recipients, a line each. Every word is preceded by a space, including the first of a line.
CREATE FUNCTION set_message_search_key() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.search_key := ' ' || search_key(NEW.subject) || E'\n '
    || search_key(concat_ws(E'\n ', NEW.from_address, array_to_string(NEW.to_addresses, E'\n '),
                            array_to_string(NEW.copy_addresses, E'\n ')));
  RETURN NEW;
END
$$;

CREATE TRIGGER message_search_key
  BEFORE INSERT OR UPDATE OF "subject", "from_address", "to_addresses", "copy_addresses", "search_key" ON "message"
  FOR EACH ROW EXECUTE FUNCTION set_message_search_key();

UPDATE "message" SET "copy_addresses" = copies.addresses
  FROM (SELECT message_id, array_agg(address ORDER BY id) AS addresses
          FROM "message_recipient" WHERE kind <> 'to' GROUP BY message_id) AS copies
 WHERE id = copies.message_id;

UPDATE "message" SET "search_key" = '' WHERE "copy_addresses" IS NULL;

-- CreateIndex
CREATE INDEX "message_search_key_idx" ON "message" USING GIN ("search_key" gin_trgm_ops);
