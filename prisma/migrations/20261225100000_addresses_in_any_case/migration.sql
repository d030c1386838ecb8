-- The messages from and to an address in any letter case. While the indexes are built, the tables can be read, and mail that is
-- stored waits: some ten seconds for each million.
LOCK TABLE message_recipient, message IN SHARE MODE;
CREATE INDEX message_sender_status_created_at_id_idx ON message (lower(from_address), status, created_at, id);
CREATE INDEX message_recipient_lower_created_at_message_id_idx ON message_recipient (lower(address), created_at, message_id);
ANALYZE message, message_recipient;
