-- AlterTable
ALTER TABLE "denied_attempt" ADD COLUMN     "admin_email" TEXT,
ADD COLUMN     "admin_id" UUID,
ADD COLUMN     "api_key_id" UUID,
ADD COLUMN     "domain_id" UUID,
ADD COLUMN     "resources" TEXT[] DEFAULT ARRAY[]::TEXT[];
