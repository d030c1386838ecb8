ALTER TABLE "domain" ADD COLUMN "dmarc_policy" TEXT;
