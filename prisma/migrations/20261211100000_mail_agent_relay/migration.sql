ALTER TABLE "mail_agent" ADD COLUMN "relay" JSONB;
