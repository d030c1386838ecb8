-- Reports are read as far as they go, and say what is missing.
ALTER TABLE "dmarc_row" ALTER COLUMN "is_dkim_aligned" DROP NOT NULL, ALTER COLUMN "is_spf_aligned" DROP NOT NULL;

ALTER TABLE "dmarc_report" ADD COLUMN "unknown" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN "left_out" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN "sender_domain" TEXT,
ADD COLUMN "is_authenticated" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "tls_report" ADD COLUMN "left_out" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN "sender_domain" TEXT,
ADD COLUMN "is_authenticated" BOOLEAN NOT NULL DEFAULT false;

-- Sums of reports whose sender isn't confirmed are kept apart, so that they don't weigh in the recommended policy. Who sent the
-- reports that are stored already isn't known.
ALTER TABLE "dmarc_day" ADD COLUMN "unknown" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN "is_trusted" BOOLEAN NOT NULL DEFAULT true,
DROP CONSTRAINT "dmarc_day_pkey",
ADD CONSTRAINT "dmarc_day_pkey" PRIMARY KEY ("domain_id", "day", "organisation", "is_trusted");

ALTER TABLE "dmarc_source_day" ADD COLUMN "unknown" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN "is_trusted" BOOLEAN NOT NULL DEFAULT true,
DROP CONSTRAINT "dmarc_source_day_pkey",
ADD CONSTRAINT "dmarc_source_day_pkey" PRIMARY KEY ("domain_id", "day", "ip", "is_trusted");
