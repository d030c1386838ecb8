# Run for each message that a person copies or moves out of Junk. To the inbox, that says that it is no spam. Trash, to which Junk is
# emptied, has another name in each mail program.
require ["vnd.dovecot.pipe", "copy", "environment", "imapsieve"];
if environment :is "imap.mailbox" "INBOX" {
  pipe :copy :try "learn" ["http://localhost/learnham"];
}
