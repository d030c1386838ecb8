const DAY_MS = 86_400_000;

/** How to sign in to the demo, and what it contains. */
export function describe({ url, email, password, apiKey, seededAt }) {
  const ageDays = Math.floor((Date.now() - new Date(seededAt).getTime()) / DAY_MS);
  const age = ageDays > 0 ? `, seeded ${ageDays === 1 ? '1 day' : `${ageDays} days`} ago` : '';
  return `
The demo is ready at ${url}${age}. Ctrl-C stops it.

  Sign in as   ${email} (super_admin)
  Password     ${password}
               also of tom.okafor@postroom.example (admin) and it@alderbrook-coffee.example (domain_admin)
  API          export POSTROOM_URL=${url} POSTROOM_KEY=${apiKey}

  In it: 40 domains, 200 mailboxes, 500 aliases, 20,000 messages of 30 days, 8 webhooks, and a mailbox that sent spam
  ${ageDays > 0 ? 'shortly before' : 'today'}. No mail, webhook or DNS query leaves this machine.
  Start over with new data: npm run demo -- --reset
`;
}
