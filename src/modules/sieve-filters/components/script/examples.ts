export type Example = { label: string; name: string; script: string };

export const EXAMPLES: Example[] = [
  {
    label: 'Spam to Junk',
    name: 'Spam to Junk',
    script: `require ["fileinto", "mailbox"];

# Rspamd adds this header to spam.
if header :is "X-Spam" "Yes" {
  fileinto :create "Junk";
}
`,
  },
  {
    label: 'Auto-reply',
    name: 'Away until Monday',
    script: `require ["vacation"];

# Replies to each sender once a week. The message is kept.
vacation :days 7 :subject "I am away until Monday"
"Thank you for your message. I will read it when I am back on Monday.";
`,
  },
  {
    label: 'Forward a copy',
    name: 'Copy to a colleague',
    script: `require ["copy"];

# Also keeps the message. Without :copy it is only forwarded.
redirect :copy "colleague@example.com";
`,
  },
];
