-- Returns the search key of an entry: who, what, about what by name, in which domain and from where, a line each. Names are
-- those that the entry recorded, or else those of the time. UUIDs are left out: they would fill the index, and have their
-- own.
-- Called by set_audit_search_key.
CREATE OR REPLACE FUNCTION audit_search_key(entry audit_entry) RETURNS text
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
