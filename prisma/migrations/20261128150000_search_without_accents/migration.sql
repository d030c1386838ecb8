-- A search for "reunion" finds "Réunion", and the other way round. In text, not by the extension unaccent, whose function
-- depends on a dictionary that can change, so an index can't have it.
CREATE OR REPLACE FUNCTION search_key(given text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
  folded text := given;
BEGIN
  IF octet_length(given) = char_length(given) THEN RETURN lower(given); END IF;
  -- Letters without their accents. What the range doesn't have is put together again, such as Hangul.
  folded := lower(normalize(regexp_replace(normalize(folded, NFD), '[\u0300-\u036f]', '', 'g'), NFC));
  -- Letters that Unicode doesn't take apart, whatever the locale makes of their capitals.
  folded := translate(folded, 'ØŁĐÐĦŦẞÆŒÞ', 'øłđðħŧßæœþ');
  folded := translate(folded, 'øłđðħıŧ', 'olddhit');
  folded := replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
  IF octet_length(folded) = char_length(folded) THEN RETURN folded; END IF;
  RETURN (
    SELECT string_agg(CASE WHEN ascii(letter) < 128 THEN letter ELSE 'u' || lpad(to_hex(ascii(letter)), 5, '0') END, ''
                      ORDER BY place)
      FROM regexp_split_to_table(folded, '') WITH ORDINALITY AS letters(letter, place)
  );
END
$$;

-- The keys of texts that had other characters than ASCII. The triggers of the tables fill them.
UPDATE "message" SET "search_key" = '' WHERE "search_key" ~ 'u0[0-9a-f]{4}';
UPDATE "alias" SET "search_key" = '' WHERE "search_key" ~ 'u0[0-9a-f]{4}';
UPDATE "mailbox" SET "search_key" = '' WHERE "search_key" ~ 'u0[0-9a-f]{4}';
ALTER TABLE "audit_entry" DISABLE TRIGGER audit_entry_kept;
UPDATE "audit_entry" AS entry SET "search_key" = audit_search_key(entry) WHERE "search_key" ~ 'u0[0-9a-f]{4}';
ALTER TABLE "audit_entry" ENABLE TRIGGER audit_entry_kept;
