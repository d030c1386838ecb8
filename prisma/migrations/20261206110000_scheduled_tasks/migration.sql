CREATE TABLE "scheduled_task" (
    "name" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_token" UUID,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "duration_ms" INTEGER,
    "failure" TEXT NOT NULL DEFAULT '',
    "failing_since" TIMESTAMPTZ(3),

    CONSTRAINT "scheduled_task_pkey" PRIMARY KEY ("name")
);

-- When these are due, who runs them and how they ended is in scheduled_task.
DROP TABLE "health_run";
DROP TABLE "outside_heartbeat";
ALTER TABLE "message_retention" DROP COLUMN "lease_token", DROP COLUMN "due_at", DROP COLUMN "failure";
ALTER TABLE "alert_email_run" DROP COLUMN "lease_token";
