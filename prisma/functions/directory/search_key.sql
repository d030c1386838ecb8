-- Returns the search key of a text: lower case and without accents, so that a search for "reunion" finds "Réunion", and the
-- other way round. In the C locale, trigrams contain only ASCII letters, so all other characters are encoded as their code
-- points. In text, not by the extension unaccent, whose function depends on a dictionary that can change.
-- src/server/list/search-key.ts does the same. The keys are stored: a change needs a migration that makes them again.
-- Called by the triggers that set search keys and by audit_search_key.
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
