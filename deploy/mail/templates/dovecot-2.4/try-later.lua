-- For a sign-in that Dovecot couldn't check, since Postgres is away, and answers with "try later". Postfix waits for Dovecot's
-- answer for 10 seconds and then says 454; to that answer it would say 535, which mail programs take for a wrong password.
-- NEXT leaves the answer to Dovecot as it is.
function auth_password_verify(request)
  if (request.protocol or request.service) == "smtp" then os.execute("sleep 12") end
  return dovecot.auth.PASSDB_RESULT_NEXT, ""
end
