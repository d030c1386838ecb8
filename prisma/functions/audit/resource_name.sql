-- Returns the name of what an entry is about, and its domain, as they are now; no row if it doesn't exist.
-- Called by audit_search_key and src/modules/audit/resource-names.ts.
CREATE OR REPLACE FUNCTION resource_name(kind text, given uuid) RETURNS TABLE (name text, domain_id uuid)
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
    WHEN 'suppression' THEN RETURN QUERY SELECT s.email, s.domain_id FROM "suppression" s WHERE s.id = given;
    WHEN 'template' THEN RETURN QUERY SELECT t.name, t.domain_id FROM "template" t WHERE t.id = given;
    WHEN 'message' THEN RETURN QUERY SELECT m.subject, m.domain_id FROM "message" m WHERE m.id = given;
    WHEN 'admin' THEN RETURN QUERY SELECT a.email, NULL::uuid FROM "admin" a WHERE a.id = given;
    WHEN 'api_key' THEN RETURN QUERY SELECT k.name, NULL::uuid FROM "api_key" k WHERE k.id = given;
    WHEN 'backup' THEN RETURN QUERY SELECT b.name, NULL::uuid FROM "backup" b WHERE b.id = given;
    ELSE RETURN;
  END CASE;
END
$$;
