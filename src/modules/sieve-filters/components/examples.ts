export type Example = { label: string; name: string; script: string };

export const EXAMPLES: Example[] = [
  {
    label: 'Spam to Junk',
    name: 'Spam to Junk',
    script: `require ["fileinto", "mailbox"];

# Rspamd marks what it takes for spam.
if header :is "X-Spam" "Yes" {
  fileinto :create "Junk";
}
`,
  },
  {
    label: 'Away notice',
    name: 'Away until Monday',
    script: `require ["vacation"];

# Everybody hears of it once a week. The message is kept.
vacation :days 7 :subject "I am away until Monday"
"Thank you for your message. I read it when I am back on Monday.";
`,
  },
  {
    label: 'Forward a copy',
    name: 'Copy to a colleague',
    script: `require ["copy"];

# The message is kept too: without :copy it would only be sent on.
redirect :copy "colleague@example.com";
`,
  },
];
