CREATE TYPE "suppression_reason" AS ENUM ('bounce', 'complaint', 'unsubscribe', 'manual');

CREATE TABLE "suppression" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "search_key" TEXT NOT NULL DEFAULT '',
    "domain_id" UUID,
    "reason" "suppression_reason" NOT NULL,
    "list" TEXT,
    "source_message_id" UUID,
    "detail" TEXT NOT NULL DEFAULT '',
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "suppression_pkey" PRIMARY KEY ("id")
);

-- One row per address, domain, reason and list, also where there is no domain or no list.
CREATE UNIQUE INDEX "suppression_email_domain_id_reason_list_key" ON "suppression"("email", "domain_id", "reason", "list")
  NULLS NOT DISTINCT;
CREATE INDEX "suppression_created_at_id_idx" ON "suppression"("created_at", "id");
CREATE INDEX "suppression_domain_id_created_at_id_idx" ON "suppression"("domain_id", "created_at", "id");
CREATE INDEX "suppression_search_key_idx" ON "suppression" USING GIN ("search_key" gin_trgm_ops);
CREATE INDEX suppression_expires_idx ON suppression (expires_at) WHERE expires_at IS NOT NULL;

ALTER TABLE "suppression" ADD CONSTRAINT "suppression_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id")
  ON DELETE CASCADE ON UPDATE CASCADE;
