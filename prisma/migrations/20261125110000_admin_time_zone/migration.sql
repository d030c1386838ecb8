-- AlterTable
ALTER TABLE "admin" ADD COLUMN     "time_zone" TEXT;
