-- The messages of one API key, in order. Messages that no key sent cost nothing.
CREATE INDEX message_api_key_id_created_at_id_idx ON message (api_key_id, created_at, id) WHERE api_key_id IS NOT NULL;
