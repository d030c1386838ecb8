-- CreateTable
CREATE TABLE "message_total" (
    "direction" "direction" NOT NULL,
    "status" TEXT NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "message_total_pkey" PRIMARY KEY ("direction","status")
);
