-- Breaks no version: late bounces bring the value, and an instance of the version before only can’t show those messages.
ALTER TYPE outcome_cause ADD VALUE 'bounce_report';

CREATE TABLE dropped_bounce (
  id uuid NOT NULL,
  domain_id uuid,
  reason text NOT NULL,
  count integer NOT NULL,
  last_at timestamptz(3) NOT NULL,
  CONSTRAINT dropped_bounce_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX dropped_bounce_domain_id_reason_key ON dropped_bounce (domain_id, reason) NULLS NOT DISTINCT;

CREATE TABLE unread_bounce (
  id uuid NOT NULL,
  domain_id uuid,
  address text NOT NULL,
  size_bytes integer NOT NULL,
  raw bytea NOT NULL,
  received_at timestamptz(3) NOT NULL,
  CONSTRAINT unread_bounce_pkey PRIMARY KEY (id)
);
CREATE INDEX unread_bounce_received_at_id_idx ON unread_bounce (received_at, id);
CREATE INDEX unread_bounce_domain_id_received_at_id_idx ON unread_bounce (domain_id, received_at, id);

ALTER TABLE dropped_bounce ADD CONSTRAINT dropped_bounce_domain_id_fkey
  FOREIGN KEY (domain_id) REFERENCES domain (id) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE unread_bounce ADD CONSTRAINT unread_bounce_domain_id_fkey
  FOREIGN KEY (domain_id) REFERENCES domain (id) ON DELETE CASCADE ON UPDATE CASCADE;
