-- CreateEnum
CREATE TYPE "node_state" AS ENUM ('active', 'draining');

-- CreateTable
CREATE TABLE "cluster_node" (
    "id" UUID NOT NULL,
    "host" TEXT NOT NULL,
    "process_id" INTEGER NOT NULL,
    "version" TEXT NOT NULL,
    "roles" TEXT[],
    "state" "node_state" NOT NULL DEFAULT 'active',
    "load_average" DOUBLE PRECISION NOT NULL,
    "memory_bytes" BIGINT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "beat_at" TIMESTAMPTZ(3) NOT NULL,
    "clock_ahead_ms" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "cluster_node_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "cluster_node_started_at_id_idx" ON "cluster_node"("started_at", "id");
