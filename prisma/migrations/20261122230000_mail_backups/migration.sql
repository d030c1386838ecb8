-- CreateTable
CREATE TABLE "mail_backup_plan" (
    "id" UUID NOT NULL,
    "sealed" BYTEA NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mail_backup_plan_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mail_backup" (
    "host" TEXT NOT NULL,
    "repository" TEXT,
    "planned_since" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_success_at" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "last_failure_at" TIMESTAMPTZ(3),
    "failure" TEXT NOT NULL DEFAULT '',
    "last_check_at" TIMESTAMPTZ(3),
    "check_failure" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "mail_backup_pkey" PRIMARY KEY ("host")
);

-- CreateTable
CREATE TABLE "mail_snapshot" (
    "host" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "taken_at" TIMESTAMPTZ(3) NOT NULL,
    "bytes_added" BIGINT,
    "bytes" BIGINT,
    "files" BIGINT,

    CONSTRAINT "mail_snapshot_pkey" PRIMARY KEY ("host","id")
);
