import type { DemoContext } from '../demo-context';
import { before, DAY_MS } from '../time';
import type { DemoDomain } from './domains';
import type { DemoMailbox } from './mailboxes';

type Filter = { name: string; script: string; active?: boolean };

const GLOBAL: Filter[] = [
  {
    name: 'Spam to Junk',
    script: `require ["fileinto", "mailbox"];

# Rspamd adds this header to what it takes for spam.
if header :is "X-Spam" "Yes" {
  fileinto :create "Junk";
  stop;
}
`,
  },
  {
    name: 'Executable attachments to Quarantine',
    script: `require ["fileinto", "mailbox", "body"];

if body :content "application/x-msdownload" :contains "" {
  fileinto :create "Quarantine";
}
`,
    active: false,
  },
];

const OF_DOMAINS: Filter[] = [
  {
    name: 'Orders to a folder',
    script: `require ["fileinto", "mailbox"];

if header :contains "subject" "Order #" {
  fileinto :create "Orders";
}
`,
  },
  {
    name: 'Ticket replies first',
    script: `require ["imap4flags"];

if header :matches "subject" "*[Ticket *]*" {
  addflag "\\\\Flagged";
}
`,
  },
  {
    name: 'Newsletters to Reading',
    script: `require ["fileinto", "mailbox"];

if exists "list-id" {
  fileinto :create "Reading";
}
`,
  },
];

const OF_MAILBOXES: Filter[] = [
  {
    name: 'Away until Monday',
    script: `require ["vacation"];

vacation :days 7 :subject "Away until Monday"
"Thanks for your message. I'm back on Monday and will reply then.";
`,
  },
  {
    name: 'Copy to the team',
    script: `require ["copy"];

redirect :copy "team-archive@bookworks.example";
`,
  },
  {
    name: 'Invoices to Accounting',
    script: `require ["fileinto", "mailbox"];

if anyof (header :contains "subject" "invoice", header :contains "subject" "receipt") {
  fileinto :create "Accounting";
}
`,
  },
  { name: 'Away in August', script: 'require ["vacation"];\n\nvacation "I am away in August.";\n', active: false },
];

export async function seedSieveFilters(
  { tx, now, random }: DemoContext,
  domains: readonly DemoDomain[],
  mailboxes: readonly DemoMailbox[],
): Promise<void> {
  const used = mailboxes.filter(({ active, domain }) => active && domain.active);
  const owned = [
    ...GLOBAL.map((filter) => ({ scope: 'global' as const, ...filter })),
    ...OF_DOMAINS.map((filter, index) => ({ scope: 'domain' as const, domainId: domains[index]?.id, ...filter })),
    ...random.sample(used, 9).map(({ id }, index) => ({
      scope: 'mailbox' as const,
      mailboxId: id,
      ...(OF_MAILBOXES[index % OF_MAILBOXES.length] as Filter),
    })),
  ];
  await tx.sieveFilter.createMany({
    data: owned.map((filter, index) => {
      const createdAt = before(now, random.int(4, 200) * DAY_MS);
      return { id: random.uuidAt(createdAt), position: index + 1, ...filter, createdAt, updatedAt: createdAt };
    }),
  });
}
