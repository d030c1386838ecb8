-- CreateEnum
CREATE TYPE "report_source" AS ENUM ('mail', 'upload');

-- CreateEnum
CREATE TYPE "report_kind" AS ENUM ('dmarc', 'tls');

-- CreateTable
CREATE TABLE "dmarc_report" (
    "id" UUID NOT NULL,
    "domain_id" UUID NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "organisation" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "report_id" TEXT NOT NULL,
    "begin_at" TIMESTAMPTZ(3) NOT NULL,
    "end_at" TIMESTAMPTZ(3) NOT NULL,
    "messages" BIGINT NOT NULL,
    "aligned" BIGINT NOT NULL,
    "row_count" INTEGER NOT NULL,
    "is_truncated" BOOLEAN NOT NULL,
    "policy" JSONB NOT NULL,
    "errors" TEXT[],
    "source" "report_source" NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dmarc_report_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dmarc_row" (
    "dmarc_report_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "ip" TEXT NOT NULL,
    "messages" BIGINT NOT NULL,
    "disposition" TEXT NOT NULL,
    "is_dkim_aligned" BOOLEAN NOT NULL,
    "is_spf_aligned" BOOLEAN NOT NULL,
    "header_from" TEXT NOT NULL,
    "envelope_from" TEXT,
    "envelope_to" TEXT,
    "dkim" JSONB NOT NULL,
    "spf" JSONB NOT NULL,
    "reasons" JSONB NOT NULL,

    CONSTRAINT "dmarc_row_pkey" PRIMARY KEY ("dmarc_report_id","position")
);

-- CreateTable
CREATE TABLE "dmarc_day" (
    "domain_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "organisation" TEXT NOT NULL,
    "reports" INTEGER NOT NULL,
    "messages" BIGINT NOT NULL,
    "aligned" BIGINT NOT NULL,
    "dkim_aligned" BIGINT NOT NULL,
    "spf_aligned" BIGINT NOT NULL,
    "quarantined" BIGINT NOT NULL,
    "rejected" BIGINT NOT NULL,

    CONSTRAINT "dmarc_day_pkey" PRIMARY KEY ("domain_id","day","organisation")
);

-- CreateTable
CREATE TABLE "dmarc_source_day" (
    "domain_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "ip" TEXT NOT NULL,
    "messages" BIGINT NOT NULL,
    "aligned" BIGINT NOT NULL,
    "dkim_aligned" BIGINT NOT NULL,
    "spf_aligned" BIGINT NOT NULL,
    "quarantined" BIGINT NOT NULL,
    "rejected" BIGINT NOT NULL,
    "dkim_domains" TEXT[],
    "spf_domains" TEXT[],
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dmarc_source_day_pkey" PRIMARY KEY ("domain_id","day","ip")
);

-- CreateTable
CREATE TABLE "report_host" (
    "ip" TEXT NOT NULL,
    "hostname" TEXT,
    "organisation" TEXT,
    "next_lookup_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "looked_up_at" TIMESTAMPTZ(3),
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "report_host_pkey" PRIMARY KEY ("ip")
);

-- CreateTable
CREATE TABLE "tls_report" (
    "id" UUID NOT NULL,
    "domain_id" UUID NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "organisation" TEXT NOT NULL,
    "contact" TEXT NOT NULL,
    "report_id" TEXT NOT NULL,
    "begin_at" TIMESTAMPTZ(3) NOT NULL,
    "end_at" TIMESTAMPTZ(3) NOT NULL,
    "day" DATE NOT NULL,
    "sessions" BIGINT NOT NULL,
    "failed_sessions" BIGINT NOT NULL,
    "policies" JSONB NOT NULL,
    "row_count" INTEGER NOT NULL,
    "is_truncated" BOOLEAN NOT NULL,
    "source" "report_source" NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tls_report_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tls_failure" (
    "tls_report_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "result_type" TEXT NOT NULL,
    "mx_host" TEXT,
    "sending_ip" TEXT,
    "receiving_ip" TEXT,
    "receiving_helo" TEXT,
    "sessions" BIGINT NOT NULL,
    "reason_code" TEXT,
    "additional_information" TEXT,

    CONSTRAINT "tls_failure_pkey" PRIMARY KEY ("tls_report_id","position")
);

-- CreateTable
CREATE TABLE "dropped_report" (
    "domain_id" UUID NOT NULL,
    "kind" "report_kind" NOT NULL,
    "reason" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dropped_report_pkey" PRIMARY KEY ("domain_id","kind","reason")
);

-- CreateIndex
CREATE INDEX "dmarc_report_domain_id_begin_at_id_idx" ON "dmarc_report"("domain_id", "begin_at", "id");

-- CreateIndex
CREATE INDEX "dmarc_report_domain_id_received_at_idx" ON "dmarc_report"("domain_id", "received_at");

-- CreateIndex
CREATE INDEX "dmarc_report_begin_at_id_idx" ON "dmarc_report"("begin_at", "id");

-- CreateIndex
CREATE INDEX "dmarc_report_organisation_begin_at_id_idx" ON "dmarc_report"("organisation", "begin_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "dmarc_report_domain_id_fingerprint_key" ON "dmarc_report"("domain_id", "fingerprint");

-- CreateIndex
CREATE INDEX "dmarc_day_day_idx" ON "dmarc_day"("day");

-- CreateIndex
CREATE INDEX "dmarc_source_day_day_idx" ON "dmarc_source_day"("day");

-- CreateIndex
CREATE INDEX "report_host_next_lookup_at_idx" ON "report_host"("next_lookup_at");

-- CreateIndex
CREATE INDEX "report_host_seen_at_idx" ON "report_host"("seen_at");

-- CreateIndex
CREATE INDEX "tls_report_domain_id_begin_at_id_idx" ON "tls_report"("domain_id", "begin_at", "id");

-- CreateIndex
CREATE INDEX "tls_report_domain_id_received_at_idx" ON "tls_report"("domain_id", "received_at");

-- CreateIndex
CREATE INDEX "tls_report_begin_at_id_idx" ON "tls_report"("begin_at", "id");

-- CreateIndex
CREATE INDEX "tls_report_organisation_begin_at_id_idx" ON "tls_report"("organisation", "begin_at", "id");

-- CreateIndex
CREATE INDEX "tls_report_domain_id_day_idx" ON "tls_report"("domain_id", "day");

-- CreateIndex
CREATE UNIQUE INDEX "tls_report_domain_id_fingerprint_key" ON "tls_report"("domain_id", "fingerprint");

-- AddForeignKey
ALTER TABLE "dmarc_row" ADD CONSTRAINT "dmarc_row_dmarc_report_id_fkey" FOREIGN KEY ("dmarc_report_id") REFERENCES "dmarc_report"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tls_failure" ADD CONSTRAINT "tls_failure_tls_report_id_fkey" FOREIGN KEY ("tls_report_id") REFERENCES "tls_report"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dropped_report" ADD CONSTRAINT "dropped_report_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;
