-- Breaks no version: those before find the messages of an address by other indexes, which takes longer.
-- A migration of its own, because reads wait for it: it takes no longer than a moment.
DROP INDEX message_from_address_status_created_at_id_idx;
DROP INDEX message_recipient_address_created_at_message_id_idx;
