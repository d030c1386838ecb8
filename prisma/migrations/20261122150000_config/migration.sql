-- CreateTable
CREATE TABLE "saved_setting" (
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_by_id" UUID NOT NULL,
    "updated_by_email" TEXT NOT NULL,

    CONSTRAINT "saved_setting_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "setting_change" (
    "id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "before" TEXT,
    "after" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "admin_id" UUID NOT NULL,
    "admin_email" TEXT NOT NULL,

    CONSTRAINT "setting_change_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "setting_change_key_at_id_idx" ON "setting_change"("key", "at", "id");
