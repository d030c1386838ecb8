-- How full a mailbox is, to sort by and to find those that are nearly full. A quota of 0 is full.
ALTER TABLE "mailbox" ADD COLUMN "percent_full" INTEGER NOT NULL DEFAULT 0;

CREATE FUNCTION set_mailbox_percent_full() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.percent_full := CASE
    WHEN NEW.quota_bytes IS NULL THEN 0
    WHEN NEW.quota_bytes = 0 THEN 100
    ELSE least(1000, floor(100.0 * NEW.used_bytes / NEW.quota_bytes)) END;
  RETURN NEW;
END
$$;

CREATE TRIGGER mailbox_percent_full BEFORE INSERT OR UPDATE OF used_bytes, quota_bytes, percent_full ON "mailbox"
  FOR EACH ROW EXECUTE FUNCTION set_mailbox_percent_full();

UPDATE "mailbox" SET percent_full = 0 WHERE quota_bytes IS NOT NULL;

-- CreateIndex
CREATE INDEX "mailbox_percent_full_id_idx" ON "mailbox"("percent_full", "id");

-- CreateIndex
CREATE INDEX "mailbox_domain_id_percent_full_id_idx" ON "mailbox"("domain_id", "percent_full", "id");

-- CreateIndex
CREATE INDEX "alert_kind_created_at_id_idx" ON "alert"("kind", "created_at", "id");

-- CreateIndex
CREATE INDEX "alert_severity_created_at_id_idx" ON "alert"("severity", "created_at", "id");
