-- A trusted extension: installing it only requires the CREATE privilege on the database.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- The search key of a subject. In the C locale, trigrams contain only ASCII letters, so all other characters are encoded
-- as their code points.
CREATE FUNCTION search_key(given text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
  folded CONSTANT text := lower(given);
BEGIN
  IF octet_length(folded) = char_length(folded) THEN RETURN folded; END IF;
  RETURN (
    SELECT string_agg(CASE WHEN ascii(letter) < 128 THEN letter ELSE 'u' || lpad(to_hex(ascii(letter)), 5, '0') END, ''
                      ORDER BY place)
      FROM regexp_split_to_table(folded, '') WITH ORDINALITY AS letters(letter, place)
  );
END
$$;

-- AlterTable
ALTER TABLE "message" ADD COLUMN "subject_key" TEXT NOT NULL DEFAULT '';

UPDATE "message" SET "subject_key" = ' ' || search_key("subject");

CREATE FUNCTION set_subject_key() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- Every word is preceded by a space, including the first.
  NEW.subject_key := ' ' || search_key(NEW.subject);
  RETURN NEW;
END
$$;

CREATE TRIGGER message_subject_key BEFORE INSERT OR UPDATE OF "subject", "subject_key" ON "message"
  FOR EACH ROW EXECUTE FUNCTION set_subject_key();

-- Recipients have the time of their message, so that an index lists an address's messages in order. A statement that
-- inserts both sets it, because the trigger can't see the message yet.
CREATE FUNCTION set_recipient_created_at() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  SELECT created_at INTO NEW.created_at FROM "message" WHERE id = NEW.message_id;
  RETURN NEW;
END
$$;

CREATE TRIGGER message_recipient_created_at BEFORE INSERT ON "message_recipient"
  FOR EACH ROW WHEN (NEW.created_at IS NULL) EXECUTE FUNCTION set_recipient_created_at();

-- CreateIndex
CREATE INDEX "message_direction_status_created_at_id_idx" ON "message"("direction", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "message_domain_id_direction_status_created_at_id_idx" ON "message"("domain_id", "direction", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "message_queue_id_idx" ON "message"("queue_id");

-- CreateIndex
CREATE INDEX "message_subject_key_idx" ON "message" USING GIN ("subject_key" gin_trgm_ops);
