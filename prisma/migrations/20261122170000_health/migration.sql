-- CreateEnum
CREATE TYPE "health_status" AS ENUM ('ok', 'degraded', 'down', 'unknown');

-- CreateTable
CREATE TABLE "health_check" (
    "name" TEXT NOT NULL,
    "subject" TEXT NOT NULL DEFAULT '',
    "status" "health_status" NOT NULL,
    "value" DOUBLE PRECISION,
    "latency_ms" INTEGER,
    "message" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "problem_since" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "health_check_pkey" PRIMARY KEY ("name","subject")
);

-- CreateTable
CREATE TABLE "health_sample" (
    "name" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "status" "health_status" NOT NULL,
    "value" DOUBLE PRECISION,

    CONSTRAINT "health_sample_pkey" PRIMARY KEY ("name","subject","at")
);

-- CreateTable
CREATE TABLE "health_run" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "health_run_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "health_sample_at_idx" ON "health_sample"("at");

INSERT INTO health_run DEFAULT VALUES;
