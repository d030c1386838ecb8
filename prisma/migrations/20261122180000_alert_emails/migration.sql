-- CreateEnum
CREATE TYPE "alert_change" AS ENUM ('opened', 'closed');

-- CreateTable
CREATE TABLE "alert_email" (
    "alert_id" UUID NOT NULL,
    "change" "alert_change" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),
    "missing" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "alert_email_pkey" PRIMARY KEY ("alert_id","change")
);

-- CreateTable
CREATE TABLE "alert_email_run" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_token" UUID,
    "failure_count" INTEGER NOT NULL DEFAULT 0,
    "problem" TEXT NOT NULL DEFAULT '',
    "refused" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "alert_email_run_pkey" PRIMARY KEY ("id")
);

-- AddForeignKey
ALTER TABLE "alert_email" ADD CONSTRAINT "alert_email_alert_id_fkey" FOREIGN KEY ("alert_id") REFERENCES "alert"("id") ON DELETE CASCADE ON UPDATE CASCADE;

INSERT INTO alert_email_run DEFAULT VALUES;

-- Prisma can't express a partial index.
CREATE INDEX "alert_email_waiting_idx" ON "alert_email"("created_at") WHERE "sent_at" IS NULL;

-- In the transaction that opens or closes the alert. An alert that an admin reopens and closes again has no second email.
CREATE FUNCTION queue_alert_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO alert_email (alert_id, change)
  VALUES (NEW.id, CASE TG_OP WHEN 'INSERT' THEN 'opened' ELSE 'closed' END::alert_change)
      ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER alert_opened AFTER INSERT ON "alert" FOR EACH ROW EXECUTE FUNCTION queue_alert_email();
CREATE TRIGGER alert_closed AFTER UPDATE OF "status" ON "alert"
  FOR EACH ROW WHEN (NEW.status = 'closed' AND OLD.status <> 'closed') EXECUTE FUNCTION queue_alert_email();
