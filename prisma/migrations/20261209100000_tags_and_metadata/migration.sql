ALTER TABLE "message" ADD COLUMN "tags" JSONB, ADD COLUMN "metadata" JSON;
ALTER TABLE "analytics_change" ADD COLUMN "tags" JSONB;

CREATE TABLE "message_tag" (
    "message_id" UUID NOT NULL,
    "tag" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_tag_pkey" PRIMARY KEY ("message_id", "tag")
);

CREATE INDEX "message_tag_tag_created_at_message_id_idx" ON "message_tag"("tag", "created_at", "message_id");

ALTER TABLE "message_tag" ADD CONSTRAINT "message_tag_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "message"("id")
  ON DELETE CASCADE ON UPDATE CASCADE;
