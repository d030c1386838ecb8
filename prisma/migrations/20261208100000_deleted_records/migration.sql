CREATE TYPE "deleted_record_kind" AS ENUM ('alias', 'domain', 'mailbox', 'sieve_filter', 'webhook');

CREATE TABLE "deleted_record" (
    "id" UUID NOT NULL,
    "kind" "deleted_record_kind" NOT NULL,
    "name" TEXT NOT NULL,
    "domain_id" UUID,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_by_id" UUID NOT NULL,
    "deleted_by_email" TEXT NOT NULL,

    CONSTRAINT "deleted_record_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "deleted_row" (
    "record_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "table" TEXT NOT NULL,
    "row" JSONB NOT NULL,

    CONSTRAINT "deleted_row_pkey" PRIMARY KEY ("record_id", "position")
);

CREATE INDEX "deleted_record_deleted_at_id_idx" ON "deleted_record"("deleted_at", "id");
CREATE INDEX "deleted_record_domain_id_deleted_at_id_idx" ON "deleted_record"("domain_id", "deleted_at", "id");
CREATE INDEX "deleted_row_table_idx" ON "deleted_row"("table");

ALTER TABLE "deleted_row" ADD CONSTRAINT "deleted_row_record_id_fkey" FOREIGN KEY ("record_id") REFERENCES "deleted_record"("id")
  ON DELETE CASCADE ON UPDATE CASCADE;
