-- CreateTable
CREATE TABLE "message_retention" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "token" UUID,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "delete_before" TIMESTAMPTZ(3),
    "deleted_until" TIMESTAMPTZ(3),
    "complete_since" TIMESTAMPTZ(3),
    "deleted_count" INTEGER NOT NULL DEFAULT 0,
    "failure" TEXT,

    CONSTRAINT "message_retention_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "message_retention" ADD CONSTRAINT "message_retention_one_row" CHECK ("id" = 1);

INSERT INTO "message_retention" DEFAULT VALUES;
