import type { DemoContext } from '../demo-context';
import { before, DAY_MS } from '../time';
import { DEMO_EMAIL } from './admins';
import type { DemoDomain } from './domains';

const NAME = { name: 'name', type: 'string', required: false, default: 'there' };
const HELLO = '<p>Hello {{ name }},</p>\n';

const TEMPLATES = [
  {
    name: 'order-shipped',
    subject: 'Order {{ number }} has shipped',
    htmlBody: `${HELLO}<p>Your order {{ number }} is on its way.</p>\n`,
    variables: [NAME, { name: 'number', type: 'number', required: true }],
    sampleData: { name: 'Ann', number: 1042 },
  },
  {
    name: 'password-reset',
    subject: 'Reset your password',
    htmlBody: `${HELLO}<p><a href="{{ link }}">Choose a new password</a> within an hour.</p>\n`,
    variables: [NAME, { name: 'link', type: 'string', required: true }],
    sampleData: { name: 'Ann', link: 'https://shop.example/reset' },
  },
  {
    name: 'welcome',
    subject: 'Welcome, {{ name }}',
    htmlBody: `${HELLO}<p>Thank you for joining us.</p>\n`,
    variables: [NAME],
    sampleData: { name: 'Ann' },
  },
];

/** Templates of the busiest domains. The newest of each domain isn't published. */
export async function seedTemplates({ tx, now }: DemoContext, domains: DemoDomain[]): Promise<void> {
  for (const [index, { id: domainId }] of domains.slice(0, 3).entries()) {
    for (const [at, { sampleData, ...content }] of TEMPLATES.entries()) {
      const createdAt = before(now, (30 - at * 7 - index) * DAY_MS);
      const isPublished = at < TEMPLATES.length - 1;
      const { name, ...parts } = content;
      // Equal digests only say that the draft is as it was published.
      const text = { ...parts, digest: name };
      const version = { ...text, number: 1, createdAt, publishedByEmail: DEMO_EMAIL };
      const published = { publishedVersion: 1, publishedDigest: name, publishedAt: createdAt };
      await tx.template.create({
        data: {
          ...{ domainId, name, ...text, sampleData, createdAt },
          ...(isPublished && { ...published, versions: { create: version } }),
        },
      });
    }
  }
}
