-- AlterTable
ALTER TABLE "admin" ADD COLUMN     "totp_last_step" INTEGER,
ADD COLUMN     "totp_secret" BYTEA;

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "ancestor_ids" UUID[] DEFAULT ARRAY[]::UUID[],
ADD COLUMN     "parent_id" UUID;

-- CreateTable
CREATE TABLE "totp_session" (
    "id" UUID NOT NULL,
    "admin_id" UUID NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "totp_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recovery_code" (
    "admin_id" UUID NOT NULL,
    "code_hash" BYTEA NOT NULL,

    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("admin_id","code_hash")
);

-- CreateTable
CREATE TABLE "oidc_identity" (
    "admin_id" UUID NOT NULL,
    "provider_id" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oidc_identity_pkey" PRIMARY KEY ("admin_id")
);

-- CreateTable
CREATE TABLE "sign_in_failure" (
    "account" BYTEA NOT NULL,
    "failures" INTEGER NOT NULL,
    "wait_until" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_failure_pkey" PRIMARY KEY ("account")
);

-- CreateTable
CREATE TABLE "setup_link" (
    "secret_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "setup_link_pkey" PRIMARY KEY ("secret_hash")
);

-- CreateTable
CREATE TABLE "sign_in_device" (
    "admin_id" UUID NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_device_pkey" PRIMARY KEY ("admin_id","secret_hash")
);

-- CreateIndex
CREATE INDEX "sign_in_device_secret_hash_idx" ON "sign_in_device"("secret_hash");

-- CreateIndex
CREATE INDEX "sign_in_device_last_used_at_idx" ON "sign_in_device"("last_used_at");

-- CreateIndex
CREATE UNIQUE INDEX "totp_session_secret_hash_key" ON "totp_session"("secret_hash");

-- CreateIndex
CREATE INDEX "totp_session_admin_id_idx" ON "totp_session"("admin_id");

-- CreateIndex
CREATE INDEX "totp_session_expires_at_idx" ON "totp_session"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "oidc_identity_issuer_subject_key" ON "oidc_identity"("issuer", "subject");

-- CreateIndex
CREATE INDEX "sign_in_failure_updated_at_idx" ON "sign_in_failure"("updated_at");

-- CreateIndex
CREATE INDEX "api_key_parent_id_idx" ON "api_key"("parent_id");

-- AddForeignKey
ALTER TABLE "totp_session" ADD CONSTRAINT "totp_session_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sign_in_device" ADD CONSTRAINT "sign_in_device_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oidc_identity" ADD CONSTRAINT "oidc_identity_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "api_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;


