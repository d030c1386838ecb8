-- CreateTable
CREATE TABLE "dns_check" (
    "domain_id" UUID NOT NULL,
    "check_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "total" INTEGER NOT NULL DEFAULT 0,
    "records" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "dns_check_pkey" PRIMARY KEY ("domain_id")
);

-- AddForeignKey
ALTER TABLE "dns_check" ADD CONSTRAINT "dns_check_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;
