ALTER TABLE "setting_change" ADD COLUMN "api_key_id" UUID;
