-- CreateIndex
CREATE INDEX "alert_domain_id_severity_created_at_id_idx" ON "alert"("domain_id", "severity", "created_at", "id");
