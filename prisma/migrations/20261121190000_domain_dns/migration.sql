-- CreateEnum
CREATE TYPE "mta_sts_mode" AS ENUM ('none', 'testing', 'enforce');

-- AlterTable
ALTER TABLE "domain" ADD COLUMN     "dns_checked_at" TIMESTAMPTZ(3),
ADD COLUMN     "mta_sts_mode" "mta_sts_mode" NOT NULL DEFAULT 'none',
ADD COLUMN     "report_mailbox_id" UUID,
ADD COLUMN     "next_dns_check_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateTable
CREATE TABLE "dns_record" (
    "domain_id" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "expected" TEXT,
    "found" TEXT[],
    "status" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "required" BOOLEAN NOT NULL,
    "message" TEXT NOT NULL,
    "fix" TEXT,
    "ttl_seconds" INTEGER,
    "authoritative" JSONB NOT NULL DEFAULT '[]',
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    "checked_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dns_record_pkey" PRIMARY KEY ("domain_id","type","name","purpose")
);

-- CreateTable
CREATE TABLE "dns_change" (
    "id" UUID NOT NULL,
    "domain_id" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "before" TEXT[],
    "after" TEXT[],
    "status" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dns_change_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "dns_change_domain_id_at_id_idx" ON "dns_change"("domain_id", "at", "id");

-- CreateIndex
CREATE INDEX "domain_next_dns_check_at_idx" ON "domain"("next_dns_check_at");

-- CreateIndex
CREATE UNIQUE INDEX "domain_report_mailbox_id_key" ON "domain"("report_mailbox_id");

-- AddForeignKey
ALTER TABLE "domain" ADD CONSTRAINT "domain_report_mailbox_id_fkey" FOREIGN KEY ("report_mailbox_id") REFERENCES "mailbox"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dns_record" ADD CONSTRAINT "dns_record_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dns_change" ADD CONSTRAINT "dns_change_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;
