# Run for each message that a person copies or moves to Junk.
require ["vnd.dovecot.pipe", "copy"];
pipe :copy :try "learn" ["http://localhost/learnspam"];
