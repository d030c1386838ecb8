-- The whole schema at the time of this migration, but for functions, triggers and views, which are in prisma/functions.

-- A trusted extension: installing it only requires the CREATE privilege on the database.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Types

CREATE TYPE role AS ENUM ('domain_admin', 'admin', 'super_admin');
CREATE TYPE audit_outcome AS ENUM ('success', 'denied', 'error');
CREATE TYPE dns_status AS ENUM ('ok', 'warning', 'error', 'unchecked');
CREATE TYPE mta_sts_mode AS ENUM ('none', 'testing', 'enforce');
CREATE TYPE suspension_reason AS ENUM ('rate_limit', 'manual');
CREATE TYPE direction AS ENUM ('outbound', 'inbound');
CREATE TYPE message_status AS ENUM (
  'submitting', 'sent', 'deferred', 'delivered', 'bounced', 'failed', 'received', 'spam', 'uncertain'
);
CREATE TYPE recipient_kind AS ENUM ('to', 'cc', 'bcc');
CREATE TYPE outcome_cause AS ENUM (
  'remote_reply', 'no_reply', 'rejected', 'not_submitted', 'expired', 'deleted', 'unknown'
);
CREATE TYPE inbound_route AS ENUM ('mailbox', 'forwarded', 'filter', 'reports');
CREATE TYPE alert_kind AS ENUM (
  'mailbox_suspended', 'rate_limited', 'volume_spike', 'wrong_passwords', 'dns_broken', 'content_store',
  'system_down', 'system_degraded', 'webhook_failing'
);
CREATE TYPE alert_severity AS ENUM ('warning', 'critical');
CREATE TYPE alert_status AS ENUM ('open', 'acknowledged', 'closed');
CREATE TYPE alert_change AS ENUM ('opened', 'closed');
CREATE TYPE delivery_status AS ENUM ('pending', 'retrying', 'delivered', 'abandoned');
CREATE TYPE content_state AS ENUM ('kept', 'not_kept', 'expired', 'deleted');
CREATE TYPE content_reason AS ENUM (
  'store_full', 'store_away', 'no_store', 'too_busy', 'no_copy', 'copy_unreadable', 'size_limit',
  'message_deleted', 'domain_deleted', 'lost'
);
CREATE TYPE dkim_algorithm AS ENUM ('rsa-2048', 'ed25519');
CREATE TYPE dkim_status AS ENUM ('pending', 'active', 'retired');
CREATE TYPE sieve_scope AS ENUM ('global', 'domain', 'mailbox');
CREATE TYPE report_source AS ENUM ('mail', 'upload');
CREATE TYPE report_kind AS ENUM ('dmarc', 'tls');
CREATE TYPE analytics_level AS ENUM ('quarter', 'hour', 'day');
CREATE TYPE operation_state AS ENUM ('queued', 'running', 'succeeded', 'failed', 'rolled_back', 'interrupted');
CREATE TYPE mail_service_state AS ENUM ('running', 'not_responding', 'stopped');
CREATE TYPE backup_trigger AS ENUM ('schedule', 'request', 'command', 'found');
CREATE TYPE backup_status AS ENUM ('running', 'completed', 'failed', 'missing');
CREATE TYPE backup_proof_state AS ENUM ('none', 'proven', 'failed');
CREATE TYPE backup_action AS ENUM ('create', 'verify', 'prove', 'preview', 'restore');
CREATE TYPE backup_operation_state AS ENUM ('running', 'succeeded', 'failed', 'interrupted');
CREATE TYPE health_status AS ENUM ('ok', 'degraded', 'down', 'unknown');
CREATE TYPE node_state AS ENUM ('active', 'draining');


-- The schema of the mail server, whose role has access to nothing else. The installer sets the role's password, and creates
-- the role if the app's role can't.
CREATE SCHEMA IF NOT EXISTS mta;

DO $$
BEGIN
  CREATE ROLE mta_read NOLOGIN;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN RAISE NOTICE 'The mail server''s installer will create the role mta_read.';
END
$$;

DO $$
BEGIN
  GRANT USAGE ON SCHEMA mta TO mta_read;
EXCEPTION
  WHEN undefined_object THEN NULL;
END
$$;

-- Dovecot asks with empty names after the database was away. "No such user" would bounce accepted mail, so whatever the mail
-- server asks with an empty name is an error, which makes it try later. The type is the check of every function.
CREATE DOMAIN mta.asked_name AS text CONSTRAINT the_mail_server_gave_no_name CHECK (VALUE <> '');

-- Dovecot skips a filter that isn't found, so an empty owner, filter or version must be an error too: none of these types has
-- an empty value.
CREATE TYPE mta.filter_owner AS ENUM ('filters');

-- The row that mta.dovecot_userdb returns. The app allows 20 active filters in each of the three scopes.
DO $$
BEGIN
  EXECUTE (
    SELECT 'CREATE TYPE mta.userdb AS ("user" text, quota_rule text, home text, '
           || string_agg('sieve_before' || coalesce(nullif(n, 1)::text, '') || ' text', ', ' ORDER BY n) || ')'
      FROM generate_series(1, 60) AS n);
END
$$;


-- Admins, API keys, sessions and rate limits

CREATE TABLE admin (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  password_hash text,
  role role NOT NULL,
  totp_enabled boolean NOT NULL DEFAULT false,
  last_login_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL,
  totp_last_step integer,
  totp_secret bytea,
  time_zone text,
  password_changed_at timestamptz(3)
);
CREATE UNIQUE INDEX admin_email_key ON admin (email);

CREATE TABLE admin_domain (
  admin_id uuid NOT NULL,
  domain_id uuid NOT NULL,
  PRIMARY KEY (admin_id, domain_id)
);
CREATE INDEX admin_domain_domain_id_idx ON admin_domain (domain_id);

CREATE TABLE session (
  id uuid PRIMARY KEY,
  admin_id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  ip_address text NOT NULL,
  user_agent text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  written_to bigint
);
CREATE UNIQUE INDEX session_secret_hash_key ON session (secret_hash);
CREATE INDEX session_admin_id_idx ON session (admin_id);
CREATE INDEX session_expires_at_idx ON session (expires_at);

CREATE TABLE totp_session (
  id uuid PRIMARY KEY,
  admin_id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX totp_session_secret_hash_key ON totp_session (secret_hash);
CREATE INDEX totp_session_admin_id_idx ON totp_session (admin_id);
CREATE INDEX totp_session_expires_at_idx ON totp_session (expires_at);

CREATE TABLE recovery_code (
  admin_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  PRIMARY KEY (admin_id, code_hash)
);

CREATE TABLE oidc_identity (
  admin_id uuid PRIMARY KEY,
  provider_id text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX oidc_identity_issuer_subject_key ON oidc_identity (issuer, subject);

CREATE TABLE sign_in_device (
  admin_id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  last_used_at timestamptz(3) NOT NULL,
  PRIMARY KEY (admin_id, secret_hash)
);
CREATE INDEX sign_in_device_last_used_at_idx ON sign_in_device (last_used_at);
CREATE INDEX sign_in_device_secret_hash_idx ON sign_in_device (secret_hash);

CREATE TABLE sign_in_failure (
  account bytea PRIMARY KEY,
  failures integer NOT NULL,
  wait_until timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
CREATE INDEX sign_in_failure_updated_at_idx ON sign_in_failure (updated_at);

CREATE TABLE setup_link (
  secret_hash bytea PRIMARY KEY,
  expires_at timestamptz(3) NOT NULL
);

CREATE TABLE api_key (
  id uuid PRIMARY KEY,
  admin_id uuid NOT NULL,
  name text NOT NULL,
  key_prefix text NOT NULL,
  key_hash bytea NOT NULL,
  scoped_domain_ids uuid[],
  rate_limit integer NOT NULL DEFAULT 60,
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  written_to bigint,
  ancestor_ids uuid[] DEFAULT ARRAY[]::uuid[],
  parent_id uuid
);
CREATE UNIQUE INDEX api_key_key_hash_key ON api_key (key_hash);
CREATE INDEX api_key_admin_id_created_at_id_idx ON api_key (admin_id, created_at, id);
CREATE INDEX api_key_created_at_id_idx ON api_key (created_at, id);
CREATE INDEX api_key_parent_id_idx ON api_key (parent_id);

-- Unlogged: a crash loses at most a minute of counts.
CREATE UNLOGGED TABLE rate_limit (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);


-- Audit log

CREATE TABLE audit_entry (
  id uuid PRIMARY KEY,
  admin_id uuid,
  admin_email text,
  api_key_id uuid,
  action text NOT NULL,
  resource text NOT NULL,
  domain_id uuid,
  ip_address text NOT NULL,
  user_agent text NOT NULL,
  request_id uuid NOT NULL,
  outcome audit_outcome NOT NULL,
  details jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  hash bytea,
  prev_hash bytea,
  seq bigint,
  search_key text NOT NULL DEFAULT '',
  sealed_at timestamptz(3)
);
CREATE UNIQUE INDEX audit_entry_seq_key ON audit_entry (seq);
CREATE INDEX audit_entry_action_created_at_id_idx ON audit_entry (action, created_at, id);
CREATE INDEX audit_entry_admin_email_created_at_id_idx ON audit_entry (admin_email, created_at, id);
CREATE INDEX audit_entry_admin_id_created_at_id_idx ON audit_entry (admin_id, created_at, id);
-- Few entries are made with a key.
CREATE INDEX audit_entry_api_key_id_created_at_id_idx ON audit_entry (api_key_id, created_at, id)
  WHERE api_key_id IS NOT NULL;
CREATE INDEX audit_entry_created_at_id_idx ON audit_entry (created_at, id);
CREATE INDEX audit_entry_domain_id_created_at_id_idx ON audit_entry (domain_id, created_at, id);
CREATE INDEX audit_entry_ip_address_created_at_id_idx ON audit_entry (ip_address, created_at, id);
CREATE INDEX audit_entry_outcome_created_at_id_idx ON audit_entry (outcome, created_at, id);
CREATE INDEX audit_entry_request_id_idx ON audit_entry (request_id);
CREATE INDEX audit_entry_resource_created_at_id_idx ON audit_entry (resource, created_at, id);
CREATE INDEX audit_entry_search_key_idx ON audit_entry USING GIN (search_key gin_trgm_ops);
CREATE INDEX audit_entry_unsealed_idx ON audit_entry (id) WHERE seq IS NULL;

CREATE TABLE audit_head (
  id integer PRIMARY KEY DEFAULT 1,
  seq bigint NOT NULL DEFAULT 0,
  hash bytea NOT NULL,
  signature text,
  sealed_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT audit_head_one_row CHECK (id = 1)
);
INSERT INTO audit_head (id, hash) VALUES (1, '\x');

CREATE TABLE audit_archived (
  id integer PRIMARY KEY DEFAULT 1,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  signature text NOT NULL,
  archived_at timestamptz(3) NOT NULL,
  CONSTRAINT audit_archived_one_row CHECK (id = 1)
);

CREATE TABLE audit_verified (
  id integer PRIMARY KEY DEFAULT 1,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  signature text NOT NULL,
  verified_at timestamptz(3) NOT NULL,
  CONSTRAINT audit_verified_one_row CHECK (id = 1)
);

CREATE TABLE audit_accepted (
  id integer PRIMARY KEY DEFAULT 1,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  signature text NOT NULL,
  accepted_at timestamptz(3) NOT NULL,
  CONSTRAINT audit_accepted_one_row CHECK (id = 1)
);

CREATE TABLE denied_attempt (
  network text NOT NULL,
  action text NOT NULL,
  code text NOT NULL,
  account text NOT NULL,
  resource text NOT NULL,
  ip_address text NOT NULL,
  user_agent text NOT NULL,
  request_id uuid NOT NULL,
  attempts integer NOT NULL,
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  admin_email text,
  admin_id uuid,
  api_key_id uuid,
  domain_id uuid,
  resources text[] DEFAULT ARRAY[]::text[],
  PRIMARY KEY (network, action, code, account)
);
CREATE INDEX denied_attempt_first_at_idx ON denied_attempt (first_at);


-- Domains, mailboxes, aliases, messages and events

CREATE TABLE domain (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  description text NOT NULL DEFAULT '',
  max_mailboxes integer,
  max_aliases integer,
  default_quota_bytes bigint,
  hourly_send_limit integer,
  verified_at timestamptz(3),
  dns_status dns_status NOT NULL DEFAULT 'unchecked',
  dkim_selector text,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL,
  dns_checked_at timestamptz(3),
  mta_sts_mode mta_sts_mode NOT NULL DEFAULT 'none',
  report_mailbox_id uuid,
  next_dns_check_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  sign_ins_valid_from timestamptz(3),
  other_mx_hosts text[] DEFAULT ARRAY[]::text[],
  -- The mail server looks up names in lower case only, here and in mailbox and alias.
  CONSTRAINT domain_name_lower_case CHECK (name = lower(name))
);
CREATE UNIQUE INDEX domain_name_key ON domain (name);
CREATE UNIQUE INDEX domain_report_mailbox_id_key ON domain (report_mailbox_id);
-- What needs attention is read on every page of the console, here and in mailbox and webhook. Few rows do, so each index is
-- small.
CREATE INDEX domain_broken_idx ON domain (name) WHERE active AND dns_status = 'error';
CREATE INDEX domain_created_at_id_idx ON domain (created_at, id);
CREATE INDEX domain_next_dns_check_at_idx ON domain (next_dns_check_at);

CREATE TABLE mailbox (
  id uuid PRIMARY KEY,
  domain_id uuid NOT NULL,
  local_part text NOT NULL,
  password_hash text NOT NULL,
  display_name text NOT NULL DEFAULT '',
  quota_bytes bigint,
  active boolean NOT NULL DEFAULT true,
  suspended_at timestamptz(3),
  suspension_reason suspension_reason,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL,
  rate_counted_from timestamptz(3),
  search_key text NOT NULL DEFAULT '',
  suspension_note text NOT NULL DEFAULT '',
  used_bytes bigint NOT NULL DEFAULT 0,
  -- How full a mailbox is, to sort by and to find those that are nearly full. A quota of 0 is full.
  percent_full integer NOT NULL DEFAULT 0,
  password_changed_at timestamptz(3),
  sign_ins_valid_from timestamptz(3),
  CONSTRAINT mailbox_local_part_lower_case CHECK (local_part = lower(local_part))
);
CREATE UNIQUE INDEX mailbox_domain_id_local_part_key ON mailbox (domain_id, local_part);
CREATE INDEX mailbox_created_at_id_idx ON mailbox (created_at, id);
CREATE INDEX mailbox_domain_id_created_at_id_idx ON mailbox (domain_id, created_at, id);
CREATE INDEX mailbox_domain_id_percent_full_id_idx ON mailbox (domain_id, percent_full, id);
CREATE INDEX mailbox_local_part_id_idx ON mailbox (local_part, id);
CREATE INDEX mailbox_percent_full_id_idx ON mailbox (percent_full, id);
CREATE INDEX mailbox_search_key_idx ON mailbox USING GIN (search_key gin_trgm_ops);
CREATE INDEX mailbox_suspended_idx ON mailbox (suspended_at, domain_id) WHERE suspended_at IS NOT NULL;

CREATE TABLE alias (
  id uuid PRIMARY KEY,
  domain_id uuid NOT NULL,
  source_local_part text NOT NULL,
  destination text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL,
  destination_keys text[] DEFAULT ARRAY[]::text[],
  search_key text NOT NULL DEFAULT '',
  CONSTRAINT alias_source_local_part_lower_case CHECK (source_local_part = lower(source_local_part))
);
CREATE UNIQUE INDEX alias_domain_id_source_local_part_key ON alias (domain_id, source_local_part);
CREATE INDEX alias_created_at_id_idx ON alias (created_at, id);
CREATE INDEX alias_destination_keys_idx ON alias USING GIN (destination_keys);
CREATE INDEX alias_domain_id_created_at_id_idx ON alias (domain_id, created_at, id);
CREATE INDEX alias_search_key_idx ON alias USING GIN (search_key gin_trgm_ops);
CREATE INDEX alias_source_local_part_id_idx ON alias (source_local_part, id);

CREATE TABLE message (
  id uuid PRIMARY KEY,
  message_id text NOT NULL,
  queue_id text,
  domain_id uuid,
  direction direction NOT NULL,
  from_address text NOT NULL,
  to_addresses text[],
  subject text NOT NULL,
  size_bytes integer NOT NULL,
  status message_status NOT NULL,
  spam_score double precision,
  api_key_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL,
  batch_index integer,
  idempotency_key_id uuid,
  search_key text NOT NULL DEFAULT '',
  copy_addresses text[]
);
CREATE UNIQUE INDEX message_idempotency_key_id_batch_index_key ON message (idempotency_key_id, batch_index);
-- A Message-ID is unique among the app's messages. Inbound messages can repeat one, and so can mail submitted by SMTP, whose
-- Message-ID is from the sender's mail program; unlike the app's messages, these have a queue id from the start.
CREATE UNIQUE INDEX message_outbound_message_id_key ON message (message_id) WHERE direction = 'outbound' AND queue_id IS NULL;
CREATE INDEX message_created_at_id_idx ON message (created_at, id);
CREATE INDEX message_direction_status_created_at_id_idx ON message (direction, status, created_at, id);
CREATE INDEX message_domain_id_created_at_id_idx ON message (domain_id, created_at, id);
CREATE INDEX message_domain_id_direction_status_created_at_id_idx ON message (domain_id, direction, status, created_at, id);
CREATE INDEX message_from_address_status_created_at_id_idx ON message (from_address, status, created_at, id);
CREATE INDEX message_message_id_idx ON message (message_id);
CREATE INDEX message_queue_id_idx ON message (queue_id);
CREATE INDEX message_search_key_idx ON message USING GIN (search_key gin_trgm_ops);

CREATE TABLE message_recipient (
  id uuid PRIMARY KEY,
  message_id uuid NOT NULL,
  address text NOT NULL,
  kind recipient_kind NOT NULL,
  status message_status NOT NULL,
  cause outcome_cause,
  route inbound_route,
  smtp_code integer,
  enhanced_code text,
  response text,
  category text,
  delivered_at timestamptz(3),
  created_at timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX message_recipient_message_id_address_key ON message_recipient (message_id, address);
CREATE INDEX message_recipient_address_created_at_message_id_idx ON message_recipient (address, created_at, message_id);

CREATE TABLE message_event (
  id uuid PRIMARY KEY,
  message_id uuid NOT NULL,
  type text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  recipient text,
  detail jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX message_event_message_id_at_id_idx ON message_event (message_id, at, id);

CREATE TABLE idempotency_key (
  id uuid PRIMARY KEY,
  caller_id uuid NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  token uuid NOT NULL,
  lease_until timestamptz(3),
  response jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX idempotency_key_caller_id_key_key ON idempotency_key (caller_id, key);
CREATE INDEX idempotency_key_created_at_idx ON idempotency_key (created_at);

CREATE TABLE message_retention (
  id integer PRIMARY KEY DEFAULT 1,
  token uuid,
  due_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  delete_before timestamptz(3),
  deleted_until timestamptz(3),
  complete_since timestamptz(3),
  deleted_count integer NOT NULL DEFAULT 0,
  failure text,
  CONSTRAINT message_retention_one_row CHECK (id = 1)
);
INSERT INTO message_retention DEFAULT VALUES;


-- Hourly limits

CREATE TABLE counted_send (
  id uuid PRIMARY KEY,
  address text NOT NULL,
  domain_id uuid NOT NULL,
  at timestamptz(3) NOT NULL
);
CREATE INDEX counted_send_address_at_idx ON counted_send (address, at);
CREATE INDEX counted_send_at_idx ON counted_send (at);
CREATE INDEX counted_send_domain_id_at_idx ON counted_send (domain_id, at);

-- How many messages of an address (lower case), or of a domain (its id), were counted after a moment. It moves forward with the
-- hour, so that each message is looked at twice, when it is counted and when it leaves the hour, however many there are. Every
-- send updates two rows, in place while their pages have room.
CREATE TABLE send_window (
  subject text PRIMARY KEY,
  since timestamptz(3) NOT NULL,
  sent integer NOT NULL
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000
);

CREATE TABLE limited_send (
  id uuid PRIMARY KEY,
  address text NOT NULL,
  domain_id uuid NOT NULL,
  at timestamptz(3) NOT NULL
);
CREATE INDEX limited_send_at_idx ON limited_send (at);

CREATE TABLE abuse_threshold (
  id integer PRIMARY KEY DEFAULT 1,
  mailbox_hourly integer NOT NULL DEFAULT 200,
  domain_hourly integer NOT NULL DEFAULT 1000,
  spike_factor double precision NOT NULL DEFAULT 5,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT abuse_threshold_one_row CHECK (id = 1)
);
INSERT INTO abuse_threshold (id) VALUES (1);


-- Alerts

CREATE TABLE alert (
  id uuid PRIMARY KEY,
  kind alert_kind NOT NULL,
  severity alert_severity NOT NULL,
  status alert_status NOT NULL DEFAULT 'open',
  subject text NOT NULL,
  domain_id uuid,
  mailbox_id uuid,
  count integer NOT NULL,
  expected double precision NOT NULL,
  text text NOT NULL DEFAULT '',
  day date,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL,
  acknowledged_at timestamptz(3),
  closed_at timestamptz(3),
  is_resolved boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX alert_kind_subject_day_key ON alert (kind, subject, day);
-- An alert about a lasting state, which has no day, is not opened again while it is open or acknowledged.
CREATE UNIQUE INDEX alert_lasting_key ON alert (kind, subject) WHERE day IS NULL AND status <> 'closed';
CREATE INDEX alert_created_at_id_idx ON alert (created_at, id);
CREATE INDEX alert_domain_id_created_at_id_idx ON alert (domain_id, created_at, id);
CREATE INDEX alert_domain_id_severity_created_at_id_idx ON alert (domain_id, severity, created_at, id);
CREATE INDEX alert_kind_created_at_id_idx ON alert (kind, created_at, id);
CREATE INDEX alert_mailbox_id_idx ON alert (mailbox_id);
CREATE INDEX alert_severity_created_at_id_idx ON alert (severity, created_at, id);
CREATE INDEX alert_status_created_at_id_idx ON alert (status, created_at, id);
CREATE INDEX alert_status_severity_created_at_id_idx ON alert (status, severity, created_at, id);

CREATE TABLE alert_email (
  alert_id uuid NOT NULL,
  change alert_change NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  sent_at timestamptz(3),
  missing text[] DEFAULT ARRAY[]::text[],
  PRIMARY KEY (alert_id, change)
);
CREATE INDEX alert_email_waiting_idx ON alert_email (created_at) WHERE sent_at IS NULL;

CREATE TABLE alert_email_run (
  id integer PRIMARY KEY DEFAULT 1,
  next_attempt_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  lease_token uuid,
  failure_count integer NOT NULL DEFAULT 0,
  problem text NOT NULL DEFAULT '',
  refused text[] DEFAULT ARRAY[]::text[]
);
INSERT INTO alert_email_run DEFAULT VALUES;


-- Webhooks

CREATE TABLE webhook (
  id uuid PRIMARY KEY,
  name text NOT NULL DEFAULT '',
  url text NOT NULL,
  events text[],
  domain_id uuid,
  active boolean NOT NULL DEFAULT true,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_secret_until timestamptz(3),
  created_by uuid NOT NULL,
  failures_in_row integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL
);
CREATE INDEX webhook_created_at_id_idx ON webhook (created_at, id);
CREATE INDEX webhook_domain_id_created_at_id_idx ON webhook (domain_id, created_at, id);
CREATE INDEX webhook_failing_idx ON webhook (failing_since) WHERE active AND failures_in_row > 0;

CREATE TABLE event (
  id uuid PRIMARY KEY,
  type text NOT NULL,
  domain_id uuid,
  body text,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  body_bytes integer NOT NULL,
  is_test boolean NOT NULL DEFAULT false,
  message_row_id uuid,
  recipient text NOT NULL DEFAULT '',
  sequence bigint
);
CREATE UNIQUE INDEX event_sequence_key ON event (sequence);
-- Stored content of received mail.
CREATE INDEX event_content_idx ON event (created_at) WHERE type = 'mail.received.full' AND body_bytes > 0;
CREATE INDEX event_created_at_id_idx ON event (created_at, id);
CREATE INDEX event_domain_id_sequence_idx ON event (domain_id, sequence);
CREATE INDEX event_message_row_id_idx ON event (message_row_id);
-- Events without a sequence number.
CREATE INDEX event_unsequenced_idx ON event (id) WHERE sequence IS NULL AND NOT is_test;

-- sequence_events numbers committed events with this.
CREATE SEQUENCE event_sequence AS bigint;

CREATE TABLE event_part (
  event_id uuid NOT NULL,
  "position" integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (event_id, "position")
);
-- Uncompressed, because long bodies are mostly base64, which compresses poorly.
ALTER TABLE event_part ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Frequent vacuums, because every attempt leaves a dead row at the start of the index that the next claim reads.
CREATE TABLE webhook_delivery (
  id uuid PRIMARY KEY,
  webhook_id uuid NOT NULL,
  event_id uuid NOT NULL,
  status delivery_status NOT NULL DEFAULT 'pending',
  attempt_count integer NOT NULL DEFAULT 0,
  failure_count integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3),
  lease_token uuid,
  lease_node uuid,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  finished_at timestamptz(3)
) WITH (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.05
);
CREATE UNIQUE INDEX webhook_delivery_event_id_webhook_id_key ON webhook_delivery (event_id, webhook_id);
-- Due deliveries by webhook. An index entry of several rows can't be marked as dead while one of them is alive, so each claim
-- would visit them again.
CREATE INDEX webhook_delivery_due_idx ON webhook_delivery (webhook_id, next_attempt_at) WITH (deduplicate_items=off)
  WHERE next_attempt_at IS NOT NULL;
-- Attempts in flight by webhook.
CREATE INDEX webhook_delivery_leased_idx ON webhook_delivery (webhook_id) WITH (deduplicate_items=off)
  WHERE lease_token IS NOT NULL;
CREATE INDEX webhook_delivery_webhook_id_created_at_id_idx ON webhook_delivery (webhook_id, created_at, id);
CREATE INDEX webhook_delivery_webhook_id_status_created_at_id_idx ON webhook_delivery (webhook_id, status, created_at, id);

CREATE TABLE webhook_attempt (
  delivery_id uuid NOT NULL,
  number integer NOT NULL,
  started_at timestamptz(3) NOT NULL,
  duration_ms integer NOT NULL,
  status_code integer,
  failure text,
  answer text NOT NULL DEFAULT '',
  remote_address text,
  PRIMARY KEY (delivery_id, number)
);


-- Stored content of messages

CREATE TABLE message_content (
  message_id uuid PRIMARY KEY,
  domain_id uuid,
  state content_state NOT NULL,
  reason content_reason,
  raw_bytes integer NOT NULL,
  stored_bytes integer NOT NULL,
  store_id uuid,
  object_name text COLLATE "C",
  stored_at timestamptz(3) NOT NULL,
  lease_until timestamptz(3)
);
CREATE UNIQUE INDEX message_content_object_name_key ON message_content (object_name);
-- Content of deleted domains.
CREATE INDEX message_content_domain ON message_content (domain_id) WHERE state = 'kept';
-- What expires next, and how much is kept.
CREATE INDEX message_content_kept ON message_content (stored_at, message_id) INCLUDE (stored_bytes) WHERE state = 'kept';
-- Objects to delete.
CREATE INDEX message_content_unwanted ON message_content (store_id, stored_at)
  WHERE state <> 'kept' AND object_name IS NOT NULL;


-- Mail server

CREATE TABLE dkim_key (
  id uuid PRIMARY KEY,
  domain_id uuid NOT NULL,
  selector text NOT NULL,
  algorithm dkim_algorithm NOT NULL,
  status dkim_status NOT NULL,
  private_key bytea NOT NULL,
  public_key text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  activated_at timestamptz(3),
  retired_at timestamptz(3),
  published_at timestamptz(3)
);
CREATE UNIQUE INDEX dkim_key_domain_id_selector_key ON dkim_key (domain_id, selector);
CREATE UNIQUE INDEX dkim_key_one_active ON dkim_key (domain_id) WHERE status = 'active';
CREATE UNIQUE INDEX dkim_key_one_pending ON dkim_key (domain_id) WHERE status = 'pending';
CREATE INDEX dkim_key_domain_id_created_at_id_idx ON dkim_key (domain_id, created_at, id);

CREATE TABLE mail_agent (
  host text PRIMARY KEY,
  instance uuid NOT NULL,
  version text NOT NULL,
  started_at timestamptz(3) NOT NULL,
  beat_at timestamptz(3) NOT NULL
);

CREATE TABLE mail_request (
  id uuid PRIMARY KEY,
  action text NOT NULL,
  input jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  claimed_by uuid,
  claimed_at timestamptz(3),
  finished_at timestamptz(3),
  answer jsonb
);
CREATE INDEX mail_request_created_at_idx ON mail_request (created_at);
-- The requests that the agent still has to handle.
CREATE INDEX mail_request_waiting ON mail_request (created_at) WHERE claimed_at IS NULL;

CREATE TABLE mail_cursor (
  source text PRIMARY KEY,
  file text NOT NULL,
  "position" text NOT NULL,
  complete_since timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE logged_mail (
  queue_id text PRIMARY KEY,
  message_id text,
  login text,
  client_address text,
  mail_from text,
  size_bytes integer,
  verdict jsonb,
  raw bytea,
  seen_at timestamptz(3) NOT NULL,
  removed_at timestamptz(3)
);
CREATE INDEX logged_mail_message_id_idx ON logged_mail (message_id);
CREATE INDEX logged_mail_seen_at_idx ON logged_mail (seen_at);

CREATE TABLE inbound_delivery (
  queue_id text NOT NULL,
  recipient text NOT NULL,
  addressed_to text NOT NULL,
  is_forwarded boolean NOT NULL,
  at timestamptz(3) NOT NULL,
  reported_at timestamptz(3),
  PRIMARY KEY (queue_id, recipient, addressed_to)
);
-- The deliveries that the agent still has to report.
CREATE INDEX inbound_delivery_unreported_idx ON inbound_delivery (at) WHERE reported_at IS NULL;

CREATE TABLE sieve_filter (
  id uuid PRIMARY KEY,
  scope sieve_scope NOT NULL,
  domain_id uuid,
  mailbox_id uuid,
  name text NOT NULL,
  script text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  "position" integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT sieve_filter_scope CHECK (
    CASE scope
      WHEN 'global' THEN domain_id IS NULL AND mailbox_id IS NULL
      WHEN 'domain' THEN domain_id IS NOT NULL AND mailbox_id IS NULL
      ELSE domain_id IS NULL AND mailbox_id IS NOT NULL
    END
  )
);
CREATE INDEX sieve_filter_created_at_id_idx ON sieve_filter (created_at, id);
CREATE INDEX sieve_filter_domain_id_idx ON sieve_filter (domain_id);
-- Filters of a domain or a mailbox have indexes by these.
CREATE INDEX sieve_filter_global ON sieve_filter ("position") WHERE scope = 'global';
CREATE INDEX sieve_filter_mailbox_id_idx ON sieve_filter (mailbox_id);
-- The version by which Dovecot asks for a script (mta.sieve_script).
CREATE INDEX sieve_filter_version ON sieve_filter ((md5(id::text || script)::uuid));

-- Dovecot writes the storage usage of mailboxes with INSERT … ON CONFLICT (address) DO UPDATE, which views don't support. No row
-- is ever stored: the trigger of mta.note_used_space updates the mailbox instead.
CREATE TABLE mta.used_space (
  address mta.asked_name PRIMARY KEY,
  bytes bigint NOT NULL,
  messages bigint NOT NULL
);

DO $$
BEGIN
  GRANT INSERT, SELECT (address), UPDATE (bytes, messages) ON mta.used_space TO mta_read;
EXCEPTION
  WHEN undefined_object THEN NULL;
END
$$;


-- DNS checks

CREATE TABLE dns_record (
  domain_id uuid NOT NULL,
  purpose text NOT NULL,
  type text NOT NULL,
  name text NOT NULL,
  "position" integer NOT NULL,
  expected text,
  found text[],
  status text NOT NULL,
  severity text NOT NULL,
  required boolean NOT NULL,
  message text NOT NULL,
  fix text,
  ttl_seconds integer,
  authoritative jsonb NOT NULL DEFAULT '[]',
  changed_at timestamptz(3) NOT NULL,
  checked_at timestamptz(3) NOT NULL,
  inherited_from text,
  PRIMARY KEY (domain_id, type, name, purpose)
);

CREATE TABLE dns_change (
  id uuid PRIMARY KEY,
  domain_id uuid NOT NULL,
  purpose text NOT NULL,
  type text NOT NULL,
  name text NOT NULL,
  before text[],
  after text[],
  status text NOT NULL,
  at timestamptz(3) NOT NULL
);
CREATE INDEX dns_change_domain_id_at_id_idx ON dns_change (domain_id, at, id);

CREATE TABLE dns_check (
  domain_id uuid PRIMARY KEY,
  check_id uuid NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  total integer NOT NULL DEFAULT 0,
  records jsonb NOT NULL DEFAULT '[]'
);


-- DMARC and TLS reports

CREATE TABLE dmarc_report (
  id uuid PRIMARY KEY,
  domain_id uuid NOT NULL,
  fingerprint bytea NOT NULL,
  organisation text NOT NULL,
  email text NOT NULL,
  report_id text NOT NULL,
  begin_at timestamptz(3) NOT NULL,
  end_at timestamptz(3) NOT NULL,
  messages bigint NOT NULL,
  aligned bigint NOT NULL,
  row_count integer NOT NULL,
  is_truncated boolean NOT NULL,
  policy jsonb NOT NULL,
  errors text[],
  source report_source NOT NULL,
  received_at timestamptz(3) NOT NULL,
  unknown bigint NOT NULL DEFAULT 0,
  left_out jsonb NOT NULL DEFAULT '[]',
  sender_domain text,
  is_authenticated boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX dmarc_report_domain_id_fingerprint_key ON dmarc_report (domain_id, fingerprint);
CREATE INDEX dmarc_report_begin_at_id_idx ON dmarc_report (begin_at, id);
CREATE INDEX dmarc_report_domain_id_begin_at_id_idx ON dmarc_report (domain_id, begin_at, id);
CREATE INDEX dmarc_report_domain_id_received_at_idx ON dmarc_report (domain_id, received_at);
CREATE INDEX dmarc_report_organisation_begin_at_id_idx ON dmarc_report (organisation, begin_at, id);

CREATE TABLE dmarc_row (
  dmarc_report_id uuid NOT NULL,
  "position" integer NOT NULL,
  ip text NOT NULL,
  messages bigint NOT NULL,
  disposition text NOT NULL,
  is_dkim_aligned boolean,
  is_spf_aligned boolean,
  header_from text NOT NULL,
  envelope_from text,
  envelope_to text,
  dkim jsonb NOT NULL,
  spf jsonb NOT NULL,
  reasons jsonb NOT NULL,
  PRIMARY KEY (dmarc_report_id, "position")
);

CREATE TABLE dmarc_day (
  domain_id uuid NOT NULL,
  day date NOT NULL,
  organisation text NOT NULL,
  reports integer NOT NULL,
  messages bigint NOT NULL,
  aligned bigint NOT NULL,
  dkim_aligned bigint NOT NULL,
  spf_aligned bigint NOT NULL,
  quarantined bigint NOT NULL,
  rejected bigint NOT NULL,
  unknown bigint NOT NULL DEFAULT 0,
  is_trusted boolean NOT NULL DEFAULT true,
  PRIMARY KEY (domain_id, day, organisation, is_trusted)
);
CREATE INDEX dmarc_day_day_idx ON dmarc_day (day);

CREATE TABLE dmarc_source_day (
  domain_id uuid NOT NULL,
  day date NOT NULL,
  ip text NOT NULL,
  messages bigint NOT NULL,
  aligned bigint NOT NULL,
  dkim_aligned bigint NOT NULL,
  spf_aligned bigint NOT NULL,
  quarantined bigint NOT NULL,
  rejected bigint NOT NULL,
  dkim_domains text[],
  spf_domains text[],
  first_seen_at timestamptz(3) NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  unknown bigint NOT NULL DEFAULT 0,
  is_trusted boolean NOT NULL DEFAULT true,
  PRIMARY KEY (domain_id, day, ip, is_trusted)
);
CREATE INDEX dmarc_source_day_day_idx ON dmarc_source_day (day);

CREATE TABLE report_host (
  ip text PRIMARY KEY,
  hostname text,
  organisation text,
  next_lookup_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  looked_up_at timestamptz(3),
  seen_at timestamptz(3) NOT NULL
);
CREATE INDEX report_host_next_lookup_at_idx ON report_host (next_lookup_at);
CREATE INDEX report_host_seen_at_idx ON report_host (seen_at);

CREATE TABLE tls_report (
  id uuid PRIMARY KEY,
  domain_id uuid NOT NULL,
  fingerprint bytea NOT NULL,
  organisation text NOT NULL,
  contact text NOT NULL,
  report_id text NOT NULL,
  begin_at timestamptz(3) NOT NULL,
  end_at timestamptz(3) NOT NULL,
  day date NOT NULL,
  sessions bigint NOT NULL,
  failed_sessions bigint NOT NULL,
  policies jsonb NOT NULL,
  row_count integer NOT NULL,
  is_truncated boolean NOT NULL,
  source report_source NOT NULL,
  received_at timestamptz(3) NOT NULL,
  left_out jsonb NOT NULL DEFAULT '[]',
  sender_domain text,
  is_authenticated boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX tls_report_domain_id_fingerprint_key ON tls_report (domain_id, fingerprint);
CREATE INDEX tls_report_begin_at_id_idx ON tls_report (begin_at, id);
CREATE INDEX tls_report_domain_id_begin_at_id_idx ON tls_report (domain_id, begin_at, id);
CREATE INDEX tls_report_domain_id_day_idx ON tls_report (domain_id, day);
CREATE INDEX tls_report_domain_id_received_at_idx ON tls_report (domain_id, received_at);
CREATE INDEX tls_report_organisation_begin_at_id_idx ON tls_report (organisation, begin_at, id);

CREATE TABLE tls_failure (
  tls_report_id uuid NOT NULL,
  "position" integer NOT NULL,
  result_type text NOT NULL,
  mx_host text,
  sending_ip text,
  receiving_ip text,
  receiving_helo text,
  sessions bigint NOT NULL,
  reason_code text,
  additional_information text,
  PRIMARY KEY (tls_report_id, "position")
);

CREATE TABLE dropped_report (
  domain_id uuid NOT NULL,
  kind report_kind NOT NULL,
  reason text NOT NULL,
  count integer NOT NULL,
  last_at timestamptz(3) NOT NULL,
  PRIMARY KEY (domain_id, kind, reason)
);


-- Statistics

-- Insert-only and emptied every second, so its dead rows are worth cleaning up early.
CREATE TABLE analytics_change (
  id bigserial PRIMARY KEY,
  delta integer NOT NULL,
  at timestamptz(3) NOT NULL,
  domain_id uuid,
  direction direction NOT NULL,
  status text NOT NULL,
  sender text,
  api_key_id uuid,
  recipient_domain text,
  smtp_code integer,
  category text,
  delivery_bin smallint
) WITH (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 50000
);

-- Partitions, because rows of a day are few among those of its hours and quarters, and would each be in a page of their own.
CREATE TABLE analytics_count (
  domain_id uuid NOT NULL,
  level analytics_level NOT NULL,
  at timestamptz(3) NOT NULL,
  direction direction NOT NULL,
  status text NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (domain_id, level, at, direction, status)
) PARTITION BY LIST (level);
CREATE TABLE analytics_count_day PARTITION OF analytics_count FOR VALUES IN ('day');
CREATE TABLE analytics_count_hour PARTITION OF analytics_count FOR VALUES IN ('hour');
CREATE TABLE analytics_count_quarter PARTITION OF analytics_count FOR VALUES IN ('quarter');
CREATE INDEX analytics_count_level_at_idx ON analytics_count (level, at);

CREATE TABLE analytics_breakdown (
  domain_id uuid NOT NULL,
  level analytics_level NOT NULL,
  dimension text NOT NULL,
  at timestamptz(3) NOT NULL,
  value text NOT NULL,
  status text NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (domain_id, level, dimension, at, value, status)
) PARTITION BY LIST (level);
CREATE TABLE analytics_breakdown_day PARTITION OF analytics_breakdown FOR VALUES IN ('day');
CREATE TABLE analytics_breakdown_hour PARTITION OF analytics_breakdown FOR VALUES IN ('hour');
CREATE INDEX analytics_breakdown_sender_idx ON analytics_breakdown (domain_id, value, level, at) WHERE dimension = 'sender';

CREATE TABLE analytics_delivery (
  domain_id uuid NOT NULL,
  level analytics_level NOT NULL,
  at timestamptz(3) NOT NULL,
  bin smallint NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (domain_id, level, at, bin)
) PARTITION BY LIST (level);
CREATE TABLE analytics_delivery_day PARTITION OF analytics_delivery FOR VALUES IN ('day');
CREATE TABLE analytics_delivery_hour PARTITION OF analytics_delivery FOR VALUES IN ('hour');
CREATE TABLE analytics_delivery_quarter PARTITION OF analytics_delivery FOR VALUES IN ('quarter');

CREATE TABLE message_total (
  direction direction NOT NULL,
  status text NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (direction, status)
);


-- Operations on the mail host

CREATE TABLE operation (
  id uuid PRIMARY KEY,
  host text NOT NULL,
  action text NOT NULL,
  lane text NOT NULL DEFAULT 'services',
  service text,
  dry_run boolean NOT NULL,
  input jsonb,
  state operation_state NOT NULL DEFAULT 'queued',
  message text,
  requested_by_id uuid,
  requested_by_email text,
  api_key_id uuid,
  request_id uuid NOT NULL,
  ip_address text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  lease_token uuid,
  leased_until timestamptz(3) NOT NULL
);
-- One operation at a time in each lane, over all instances and mail servers.
CREATE UNIQUE INDEX operation_one_unfinished ON operation (lane) WHERE finished_at IS NULL;
CREATE INDEX operation_created_at_id_idx ON operation (created_at, id);
CREATE INDEX operation_host_service_created_at_idx ON operation (host, service, created_at);

CREATE TABLE operation_line (
  operation_id uuid NOT NULL,
  number integer NOT NULL,
  kind text NOT NULL,
  text text NOT NULL,
  at timestamptz(3) NOT NULL,
  PRIMARY KEY (operation_id, number)
);

CREATE TABLE mail_service (
  host text NOT NULL,
  service text NOT NULL,
  state mail_service_state NOT NULL,
  since timestamptz(3) NOT NULL,
  message text NOT NULL,
  version text,
  process_id integer,
  started_at timestamptz(3),
  drift jsonb,
  drift_message text NOT NULL,
  checked_at timestamptz(3) NOT NULL,
  PRIMARY KEY (host, service)
);


-- Backups

CREATE TABLE backup (
  id uuid PRIMARY KEY,
  trigger backup_trigger NOT NULL,
  status backup_status NOT NULL DEFAULT 'running',
  name text NOT NULL,
  location text NOT NULL,
  host text NOT NULL,
  size_bytes bigint,
  checksum text,
  version text,
  rows bigint,
  due_at timestamptz(3),
  attempts integer NOT NULL DEFAULT 1,
  next_attempt_at timestamptz(3),
  started_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  finished_at timestamptz(3),
  error text,
  proof_state backup_proof_state NOT NULL DEFAULT 'none',
  proof_at timestamptz(3),
  proof_message text
);
CREATE UNIQUE INDEX backup_due_at_key ON backup (due_at);
CREATE UNIQUE INDEX backup_location_name_key ON backup (location, name);
CREATE INDEX backup_started_at_id_idx ON backup (started_at, id);

CREATE TABLE backup_operation (
  id uuid PRIMARY KEY,
  action backup_action NOT NULL,
  backup_id uuid NOT NULL,
  backup_name text NOT NULL,
  domain_id uuid,
  state backup_operation_state NOT NULL DEFAULT 'running',
  progress_table text,
  tables_done integer NOT NULL DEFAULT 0,
  tables_total integer NOT NULL DEFAULT 0,
  progress_rows bigint NOT NULL DEFAULT 0,
  progress_bytes bigint NOT NULL DEFAULT 0,
  result jsonb,
  message text,
  requested_by_id uuid,
  requested_by_email text,
  api_key_id uuid,
  request_id uuid NOT NULL,
  ip_address text NOT NULL,
  user_agent text NOT NULL,
  runner text NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  finished_at timestamptz(3),
  lease_token uuid NOT NULL,
  leased_until timestamptz(3) NOT NULL
);
-- One operation at a time, over all instances and commands.
CREATE UNIQUE INDEX backup_operation_one_unfinished ON backup_operation ((true)) WHERE finished_at IS NULL;
CREATE INDEX backup_operation_backup_id_started_at_idx ON backup_operation (backup_id, started_at);
CREATE INDEX backup_operation_started_at_id_idx ON backup_operation (started_at, id);


-- Backups of the mail host

CREATE TABLE mail_backup_plan (
  id uuid PRIMARY KEY,
  sealed bytea NOT NULL,
  updated_at timestamptz(3) NOT NULL
);

CREATE TABLE mail_backup (
  host text PRIMARY KEY,
  repository text,
  planned_since timestamptz(3) NOT NULL,
  seen_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_success_at timestamptz(3),
  failures integer NOT NULL DEFAULT 0,
  last_failure_at timestamptz(3),
  failure text NOT NULL DEFAULT '',
  last_check_at timestamptz(3),
  check_failure text NOT NULL DEFAULT ''
);

CREATE TABLE mail_snapshot (
  host text NOT NULL,
  id text NOT NULL,
  taken_at timestamptz(3) NOT NULL,
  bytes_added bigint,
  bytes bigint,
  files bigint,
  PRIMARY KEY (host, id)
);


-- Health

CREATE TABLE health_check (
  name text NOT NULL,
  subject text NOT NULL DEFAULT '',
  status health_status NOT NULL,
  value double precision,
  latency_ms integer,
  message text NOT NULL,
  since timestamptz(3) NOT NULL,
  problem_since timestamptz(3),
  checked_at timestamptz(3) NOT NULL,
  PRIMARY KEY (name, subject)
);

CREATE TABLE health_sample (
  name text NOT NULL,
  subject text NOT NULL,
  at timestamptz(3) NOT NULL,
  status health_status NOT NULL,
  value double precision,
  PRIMARY KEY (name, subject, at)
);
CREATE INDEX health_sample_at_idx ON health_sample (at);

CREATE TABLE health_run (
  id integer PRIMARY KEY DEFAULT 1,
  due_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  finished_at timestamptz(3)
);
INSERT INTO health_run DEFAULT VALUES;

CREATE TABLE outside_heartbeat (
  id integer PRIMARY KEY DEFAULT 1,
  due_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  failing_since timestamptz(3),
  problem text NOT NULL DEFAULT ''
);
INSERT INTO outside_heartbeat DEFAULT VALUES;


-- Instances

CREATE TABLE cluster_node (
  id uuid PRIMARY KEY,
  host text NOT NULL,
  process_id integer NOT NULL,
  version text NOT NULL,
  roles text[],
  state node_state NOT NULL DEFAULT 'active',
  load_average double precision NOT NULL,
  memory_bytes bigint NOT NULL,
  started_at timestamptz(3) NOT NULL,
  beat_at timestamptz(3) NOT NULL,
  clock_ahead_ms integer NOT NULL DEFAULT 0
);
CREATE INDEX cluster_node_started_at_id_idx ON cluster_node (started_at, id);


-- Saved settings

CREATE TABLE saved_setting (
  key text PRIMARY KEY,
  value text NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_by_id uuid NOT NULL,
  updated_by_email text NOT NULL
);

CREATE TABLE setting_change (
  id uuid PRIMARY KEY,
  key text NOT NULL,
  before text,
  after text,
  at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  admin_id uuid NOT NULL,
  admin_email text NOT NULL
);
CREATE INDEX setting_change_key_at_id_idx ON setting_change (key, at, id);


-- Saved views of the console

CREATE TABLE saved_view (
  id uuid PRIMARY KEY,
  admin_id uuid NOT NULL,
  page text NOT NULL,
  name text NOT NULL,
  query text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX saved_view_admin_id_page_name_key ON saved_view (admin_id, page, name);


-- Foreign keys

ALTER TABLE admin_domain ADD CONSTRAINT admin_domain_admin_id_fkey
  FOREIGN KEY (admin_id) REFERENCES admin(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE admin_domain ADD CONSTRAINT admin_domain_domain_id_fkey
  FOREIGN KEY (domain_id) REFERENCES domain(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE session ADD CONSTRAINT session_admin_id_fkey
  FOREIGN KEY (admin_id) REFERENCES admin(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE totp_session ADD CONSTRAINT totp_session_admin_id_fkey
  FOREIGN KEY (admin_id) REFERENCES admin(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE recovery_code ADD CONSTRAINT recovery_code_admin_id_fkey
  FOREIGN KEY (admin_id) REFERENCES admin(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE oidc_identity ADD CONSTRAINT oidc_identity_admin_id_fkey
  FOREIGN KEY (admin_id) REFERENCES admin(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE sign_in_device ADD CONSTRAINT sign_in_device_admin_id_fkey
  FOREIGN KEY (admin_id) REFERENCES admin(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE api_key ADD CONSTRAINT api_key_admin_id_fkey
  FOREIGN KEY (admin_id) REFERENCES admin(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE api_key ADD CONSTRAINT api_key_parent_id_fkey
  FOREIGN KEY (parent_id) REFERENCES api_key(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE domain ADD CONSTRAINT domain_report_mailbox_id_fkey
  FOREIGN KEY (report_mailbox_id) REFERENCES mailbox(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE mailbox ADD CONSTRAINT mailbox_domain_id_fkey
  FOREIGN KEY (domain_id) REFERENCES domain(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE alias ADD CONSTRAINT alias_domain_id_fkey
  FOREIGN KEY (domain_id) REFERENCES domain(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE message ADD CONSTRAINT message_idempotency_key_id_fkey
  FOREIGN KEY (idempotency_key_id) REFERENCES idempotency_key(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE message_recipient ADD CONSTRAINT message_recipient_message_id_fkey
  FOREIGN KEY (message_id) REFERENCES message(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE message_event ADD CONSTRAINT message_event_message_id_fkey
  FOREIGN KEY (message_id) REFERENCES message(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE alert ADD CONSTRAINT alert_domain_id_fkey
  FOREIGN KEY (domain_id) REFERENCES domain(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE alert ADD CONSTRAINT alert_mailbox_id_fkey
  FOREIGN KEY (mailbox_id) REFERENCES mailbox(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE alert_email ADD CONSTRAINT alert_email_alert_id_fkey
  FOREIGN KEY (alert_id) REFERENCES alert(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE webhook ADD CONSTRAINT webhook_domain_id_fkey
  FOREIGN KEY (domain_id) REFERENCES domain(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE event_part ADD CONSTRAINT event_part_event_id_fkey
  FOREIGN KEY (event_id) REFERENCES event(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE webhook_delivery ADD CONSTRAINT webhook_delivery_event_id_fkey
  FOREIGN KEY (event_id) REFERENCES event(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE webhook_attempt ADD CONSTRAINT webhook_attempt_delivery_id_fkey
  FOREIGN KEY (delivery_id) REFERENCES webhook_delivery(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE dkim_key ADD CONSTRAINT dkim_key_domain_id_fkey
  FOREIGN KEY (domain_id) REFERENCES domain(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE inbound_delivery ADD CONSTRAINT inbound_delivery_queue_id_fkey
  FOREIGN KEY (queue_id) REFERENCES logged_mail(queue_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE sieve_filter ADD CONSTRAINT sieve_filter_domain_id_fkey
  FOREIGN KEY (domain_id) REFERENCES domain(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE sieve_filter ADD CONSTRAINT sieve_filter_mailbox_id_fkey
  FOREIGN KEY (mailbox_id) REFERENCES mailbox(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE dns_record ADD CONSTRAINT dns_record_domain_id_fkey
  FOREIGN KEY (domain_id) REFERENCES domain(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE dns_change ADD CONSTRAINT dns_change_domain_id_fkey
  FOREIGN KEY (domain_id) REFERENCES domain(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE dns_check ADD CONSTRAINT dns_check_domain_id_fkey
  FOREIGN KEY (domain_id) REFERENCES domain(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE dmarc_row ADD CONSTRAINT dmarc_row_dmarc_report_id_fkey
  FOREIGN KEY (dmarc_report_id) REFERENCES dmarc_report(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE tls_failure ADD CONSTRAINT tls_failure_tls_report_id_fkey
  FOREIGN KEY (tls_report_id) REFERENCES tls_report(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE dropped_report ADD CONSTRAINT dropped_report_domain_id_fkey
  FOREIGN KEY (domain_id) REFERENCES domain(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE operation_line ADD CONSTRAINT operation_line_operation_id_fkey
  FOREIGN KEY (operation_id) REFERENCES operation(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE saved_view ADD CONSTRAINT saved_view_admin_id_fkey
  FOREIGN KEY (admin_id) REFERENCES admin(id) ON UPDATE CASCADE ON DELETE CASCADE;
