-- What calls with a key may do, from where, and as which senders. Existing keys may do everything.
ALTER TABLE api_key
  ADD COLUMN permissions text[] NOT NULL DEFAULT ARRAY['send', 'read', 'manage'],
  ADD COLUMN allowed_ips text[] NOT NULL DEFAULT ARRAY[]::text[],
  ADD COLUMN senders text[] NOT NULL DEFAULT ARRAY[]::text[];
