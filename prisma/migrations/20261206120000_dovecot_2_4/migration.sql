-- The row that mta.dovecot_2_4_userdb returns: the settings that Dovecot 2.4 has instead of quota_rule and sieve_before, for as many
-- filters as in mta.userdb.
DO $$
BEGIN
  EXECUTE (
    SELECT 'CREATE TYPE mta.dovecot_2_4_userdb AS ("user" text, home text, quota_storage_size text, quota_storage_grace text, '
           || '"sieve_script+" text, '
           || string_agg(format('"sieve_script/filter%1$s/sieve_script_name" text, "sieve_script/filter%1$s/dict" text', n), ', ' ORDER BY n)
           || ')'
      FROM generate_series(1, 60) AS n);
END
$$;
