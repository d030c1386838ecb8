-- CreateIndex
CREATE INDEX "alert_status_severity_created_at_id_idx" ON "alert"("status", "severity", "created_at", "id");
