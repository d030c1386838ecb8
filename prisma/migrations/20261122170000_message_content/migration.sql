-- CreateEnum
CREATE TYPE "content_state" AS ENUM ('kept', 'not_kept', 'expired', 'deleted');

-- CreateEnum
CREATE TYPE "content_reason" AS ENUM ('store_full', 'store_away', 'no_store', 'too_busy', 'no_copy', 'copy_unreadable', 'size_limit', 'message_deleted', 'domain_deleted', 'lost');

-- CreateTable
CREATE TABLE "message_content" (
    "message_id" UUID NOT NULL,
    "domain_id" UUID,
    "state" "content_state" NOT NULL,
    "reason" "content_reason",
    "raw_bytes" INTEGER NOT NULL,
    "stored_bytes" INTEGER NOT NULL,
    "store_id" UUID,
    "object_name" TEXT COLLATE "C",
    "stored_at" TIMESTAMPTZ(3) NOT NULL,
    "lease_until" TIMESTAMPTZ(3),

    CONSTRAINT "message_content_pkey" PRIMARY KEY ("message_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "message_content_object_name_key" ON "message_content"("object_name");

-- What expires next, and how much is kept.
CREATE INDEX message_content_kept ON message_content (stored_at, message_id) INCLUDE (stored_bytes) WHERE state = 'kept';

-- Content of deleted domains.
CREATE INDEX message_content_domain ON message_content (domain_id) WHERE state = 'kept';

-- Objects to delete.
CREATE INDEX message_content_unwanted ON message_content (store_id, stored_at) WHERE state <> 'kept' AND object_name IS NOT NULL;

-- The row has the name of the object, so it stays until the object is deleted.
CREATE FUNCTION mark_content_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM message_content c USING deleted_message m WHERE c.message_id = m.id AND c.object_name IS NULL;
  UPDATE message_content c SET state = 'deleted', reason = 'message_deleted'
    FROM deleted_message m WHERE c.message_id = m.id;
  RETURN NULL;
END $$;

CREATE TRIGGER message_content_deleted AFTER DELETE ON "message"
  REFERENCING OLD TABLE AS deleted_message FOR EACH STATEMENT EXECUTE FUNCTION mark_content_deleted();
