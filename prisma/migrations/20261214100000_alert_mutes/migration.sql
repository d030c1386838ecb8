ALTER TABLE "alert" ADD COLUMN "notified_at" TIMESTAMPTZ(3);
UPDATE "alert" SET "notified_at" = "created_at";
CREATE INDEX alert_not_notified_idx ON alert (created_at) WHERE notified_at IS NULL AND status = 'open';

CREATE TABLE "alert_mute" (
    "id" UUID NOT NULL,
    "kind" "alert_kind",
    "severity" "alert_severity",
    "domain_id" UUID,
    "subject" TEXT,
    "reason" TEXT NOT NULL DEFAULT '',
    "created_by" UUID NOT NULL,
    "created_by_email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ends_at" TIMESTAMPTZ(3),

    CONSTRAINT "alert_mute_pkey" PRIMARY KEY ("id")
);

-- One row for the same alerts.
CREATE UNIQUE INDEX "alert_mute_kind_severity_domain_id_subject_key" ON "alert_mute"("kind", "severity", "domain_id", "subject")
  NULLS NOT DISTINCT;
CREATE INDEX "alert_mute_created_at_id_idx" ON "alert_mute"("created_at", "id");
CREATE INDEX "alert_mute_domain_id_idx" ON "alert_mute"("domain_id");

ALTER TABLE "alert_mute" ADD CONSTRAINT "alert_mute_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id")
  ON DELETE CASCADE ON UPDATE CASCADE;
