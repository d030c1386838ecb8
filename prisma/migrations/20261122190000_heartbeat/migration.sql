-- CreateTable
CREATE TABLE "outside_heartbeat" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "failing_since" TIMESTAMPTZ(3),
    "problem" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "outside_heartbeat_pkey" PRIMARY KEY ("id")
);

INSERT INTO outside_heartbeat DEFAULT VALUES;
