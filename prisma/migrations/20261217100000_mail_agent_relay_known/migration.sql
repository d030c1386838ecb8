ALTER TABLE mail_agent ADD COLUMN relay_known boolean NOT NULL DEFAULT false;
