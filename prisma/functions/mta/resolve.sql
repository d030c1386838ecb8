-- Returns the destinations of an address, one per row: mailbox, else alias, else those of the address without its +tag, else
-- itself if reports go there, else catch-all, else none. A mailbox is its own destination, otherwise a catch-all would take
-- its mail. A bounce address is its own destination, too, besides those of the message's sender, who gets the bounce as if it had
-- been sent to From. A message that was submitted by SMTP is counted before it has a row. Local destinations without an active mailbox
-- are left out, because Postfix looks up every result again and aliases would chain.
-- Called by Postfix (aliases.cf) for every recipient, by mta.rcpt_access and mta.is_role_address, and by
-- src/modules/aliases/resolve.ts, src/modules/messages/inbound and src/modules/reports/dmarc.
CREATE OR REPLACE FUNCTION mta.resolve(local mta.asked_name, domain mta.asked_name) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  wanted_local CONSTANT text := lower(resolve.local);
  untagged_local CONSTANT text := split_part(wanted_local, '+', 1);
  wanted_domain_id uuid;
  destinations text;
  candidate text;
  sender text;
BEGIN
  IF resolve.local IS NULL OR resolve.local = '' THEN RETURN; END IF;

  IF kind_of_report_address(wanted_local) = 'bounce' THEN
    PERFORM FROM "domain" d WHERE d.name = lower(resolve.domain) AND d.active;
    IF NOT FOUND THEN
      PERFORM FROM mta.is_mail_host(resolve.domain);
      IF NOT FOUND THEN RETURN; END IF;
    END IF;
    RETURN NEXT wanted_local || '@' || lower(resolve.domain);
    SELECT m.from_address INTO sender FROM message m WHERE m.id = substr(wanted_local, 9, 32)::uuid AND m.direction = 'outbound';
    IF NOT FOUND THEN SELECT c.address INTO sender FROM counted_send c WHERE c.id = substr(wanted_local, 9, 32)::uuid; END IF;
    IF kind_of_report_address(split_part(sender, '@', 1)) IS NULL THEN
      RETURN QUERY SELECT * FROM mta.resolve(split_part(sender, '@', 1), split_part(sender, '@', 2));
    END IF;
    RETURN;
  END IF;

  SELECT d.id INTO wanted_domain_id FROM "domain" d WHERE d.name = lower(resolve.domain) AND d.active;
  IF NOT FOUND THEN RETURN; END IF;

  FOREACH candidate IN ARRAY CASE WHEN untagged_local IN (wanted_local, '') THEN ARRAY[wanted_local, '']
                                  ELSE ARRAY[wanted_local, untagged_local, ''] END LOOP
    RETURN QUERY
      SELECT m.local_part || '@' || lower(resolve.domain)
        FROM mailbox m WHERE m.domain_id = wanted_domain_id AND m.local_part = candidate AND m.active;
    IF FOUND THEN RETURN; END IF;

    SELECT a.destination INTO destinations
      FROM alias a WHERE a.domain_id = wanted_domain_id AND a.source_local_part = candidate AND a.active;
    EXIT WHEN FOUND;

    -- Postroom reads reports itself. They are their own destination, like mailboxes.
    IF kind_of_report_address(candidate) IS NOT NULL THEN
      RETURN NEXT candidate || '@' || lower(resolve.domain);
      RETURN;
    END IF;
  END LOOP;
  IF destinations IS NULL THEN RETURN; END IF;

  RETURN QUERY
    SELECT coalesce(m.local_part || '@' || o.name, min(entry.address))
      FROM (SELECT btrim(part) AS address, place
              FROM unnest(string_to_array(destinations, ',')) WITH ORDINALITY AS list(part, place)) entry
      LEFT JOIN "domain" o ON o.name = lower(split_part(entry.address, '@', 2))
      LEFT JOIN LATERAL (
        SELECT exact_or_untagged.local_part FROM mailbox exact_or_untagged
         WHERE exact_or_untagged.domain_id = o.id AND exact_or_untagged.active
           AND exact_or_untagged.local_part IN (lower(split_part(entry.address, '@', 1)),
                                                lower(split_part(split_part(entry.address, '@', 1), '+', 1)))
         ORDER BY length(exact_or_untagged.local_part) DESC LIMIT 1) m ON true
     WHERE entry.address <> '' AND (o.id IS NULL OR (o.active AND m.local_part IS NOT NULL))
     GROUP BY m.local_part, o.name, CASE WHEN o.id IS NULL THEN entry.address END
     ORDER BY min(entry.place);
END
$$;

REVOKE ALL ON FUNCTION mta.resolve(mta.asked_name, mta.asked_name) FROM PUBLIC;
DO $$
BEGIN
  GRANT EXECUTE ON FUNCTION mta.resolve(mta.asked_name, mta.asked_name) TO mta_read;
EXCEPTION
  -- The installer of the mail server makes the role where the app can't, and grants this (deploy/mail/role.sql).
  WHEN undefined_object THEN NULL;
END
$$;
