-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN "search_key" TEXT NOT NULL DEFAULT '';

-- The name of what an entry is about, and its domain, as they are now.
CREATE FUNCTION resource_name(kind text, given uuid) RETURNS TABLE (name text, domain_id uuid)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  CASE kind
    WHEN 'domain' THEN RETURN QUERY SELECT d.name, d.id FROM "domain" d WHERE d.id = given;
    WHEN 'mailbox' THEN
      RETURN QUERY SELECT m.local_part || '@' || d.name, d.id FROM "mailbox" m JOIN "domain" d ON d.id = m.domain_id WHERE m.id = given;
    WHEN 'alias' THEN
      RETURN QUERY SELECT a.source_local_part || '@' || d.name, d.id FROM "alias" a JOIN "domain" d ON d.id = a.domain_id WHERE a.id = given;
    WHEN 'webhook' THEN
      RETURN QUERY SELECT coalesce(nullif(w.name, ''), substring(w.url FROM '^https?://([^/?#]+)')), w.domain_id FROM "webhook" w WHERE w.id = given;
    WHEN 'sieve_filter' THEN
      RETURN QUERY SELECT s.name, coalesce(s.domain_id, m.domain_id) FROM "sieve_filter" s LEFT JOIN "mailbox" m ON m.id = s.mailbox_id
                    WHERE s.id = given;
    WHEN 'message' THEN RETURN QUERY SELECT m.subject, m.domain_id FROM "message" m WHERE m.id = given;
    WHEN 'admin' THEN RETURN QUERY SELECT a.email, NULL::uuid FROM "admin" a WHERE a.id = given;
    WHEN 'api_key' THEN RETURN QUERY SELECT k.name, NULL::uuid FROM "api_key" k WHERE k.id = given;
    WHEN 'backup' THEN RETURN QUERY SELECT b.name, NULL::uuid FROM "backup" b WHERE b.id = given;
    ELSE RETURN;
  END CASE;
END
$$;

-- The search key of an entry: who, what, about what by name, in which domain and from where, a line each. Names are those
-- that the entry recorded, or else those of the time. UUIDs are left out: they would fill the index, and have their own.
CREATE FUNCTION audit_search_key(entry "audit_entry") RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  kind CONSTANT text := split_part(entry.resource, ':', 1);
  key CONSTANT text := substr(entry.resource, length(kind) + 2);
  is_id CONSTANT boolean := key ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
  names text;
BEGIN
  SELECT string_agg(DISTINCT given, E'\n ') INTO names
    FROM unnest(ARRAY[entry.details, entry.details -> 'before', entry.details -> 'after']) AS part,
         unnest(ARRAY[part ->> 'name', part ->> 'email', part ->> 'address', part ->> 'subject', part ->> 'url',
                      part ->> 'host']) AS given
   WHERE jsonb_typeof(part) = 'object' AND given <> '';
  IF names IS NULL AND is_id THEN
    SELECT n.name INTO names FROM resource_name(kind, key::uuid) AS n;
  END IF;
  RETURN ' ' || search_key(concat_ws(E'\n ', entry.admin_email, entry.action, CASE WHEN NOT is_id THEN key END, names,
                                     (SELECT d.name FROM "domain" d WHERE d.id = entry.domain_id), entry.ip_address));
END
$$;

CREATE FUNCTION set_audit_search_key() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.search_key := audit_search_key(NEW);
  RETURN NEW;
END
$$;

CREATE TRIGGER audit_entry_search_key BEFORE INSERT ON "audit_entry"
  FOR EACH ROW EXECUTE FUNCTION set_audit_search_key();

-- Entries can’t be changed otherwise. Their hash does not cover the key.
ALTER TABLE "audit_entry" DISABLE TRIGGER audit_entry_kept;
UPDATE "audit_entry" AS entry SET "search_key" = audit_search_key(entry);
ALTER TABLE "audit_entry" ENABLE TRIGGER audit_entry_kept;

-- CreateIndex
CREATE INDEX "audit_entry_search_key_idx" ON "audit_entry" USING GIN ("search_key" gin_trgm_ops);
