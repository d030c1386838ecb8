# Run for each message that a person copies or moves out of Junk. Emptying it isn't an opinion.
require ["vnd.dovecot.pipe", "copy", "environment", "imapsieve"];
if not environment :is "imap.mailbox" "Trash" {
  pipe :copy :try "learn" ["http://localhost/learnham"];
}
