ALTER TABLE scheduled_message ADD COLUMN list text;
