-- The columns of a lease have one name in all tables.
ALTER TABLE "idempotency_key" RENAME COLUMN "token" TO "lease_token";
ALTER TABLE "idempotency_key" RENAME COLUMN "lease_until" TO "leased_until";

ALTER TABLE "message_content" RENAME COLUMN "lease_until" TO "leased_until";
ALTER TABLE "message_content" ADD COLUMN "lease_token" UUID;

ALTER TABLE "message_retention" RENAME COLUMN "token" TO "lease_token";
