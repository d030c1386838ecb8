import { foldAnalytics } from '@/modules/analytics/counting/fold';
import { sealAuditEntries } from '@/modules/audit/seal';
import { sequenceEvents } from '@/modules/events/sequence';
import type { Database, Tx } from '@/server/database/db';
import { type DemoContext, scaled } from './demo-context';
import { DEMO_EMAIL, seedAdmins } from './directory/admins';
import { seedAliases } from './directory/aliases';
import { noteKeyUse, seedApiKeys } from './directory/api-keys';
import { seedDns } from './directory/dns';
import { limitDomains, seedDomains } from './directory/domains';
import { seedMailboxes } from './directory/mailboxes';
import { seedSieveFilters } from './directory/sieve-filters';
import { seedTemplates } from './directory/templates';
import { countSends, insertMessages } from './mail/demo-message';
import { planIncident } from './mail/incident';
import { planIncoming } from './mail/incoming';
import { insertEvents } from './mail/outbox';
import { planOutgoing } from './mail/outgoing';
import { seedScheduled } from './mail/scheduled';
import { seedSuppressions } from './mail/suppressions';
import { seedAbuse, seedSignIns } from './oversight/abuse';
import { seedAudit } from './oversight/audit';
import { seedBackups } from './oversight/backups';
import { seedDeleted } from './oversight/deleted';
import { seedHealth } from './oversight/health';
import { createRandom } from './random';
import { seedReports } from './reports/reports';
import { seedDeliveries } from './webhooks/deliveries';
import { isSubscribed, seedWebhooks } from './webhooks/webhooks';

const SEED = 'postroom demo 1';
const MESSAGES = 20_000;
const INCOMING_SHARE = 0.36;
const TIMEOUT_MS = 300_000;

type Options = { now: Date; password: string; scale?: number };

export type Seeded = { email: string; password: string; apiKey: string };

export class NotEmptyError extends Error {}

/**
 * Fills an empty database with thirty days of a hosting provider, in one transaction.
 * @param options.scale factor for mailboxes, aliases and messages; 1 is the whole demo
 * @throws NotEmptyError if the database has an admin, domain, message or audit entry
 */
export async function seedDemo(db: Database, { now, password, scale = 1 }: Options): Promise<Seeded> {
  const apiKey = await db.$transaction(
    async (tx) => {
      await requireEmpty(tx);
      return fill({ tx, now, random: createRandom(SEED), scale }, password);
    },
    { timeout: TIMEOUT_MS },
  );
  await sealAuditEntries(db, null);
  await sequenceEvents(db);
  await foldAnalytics(db);
  return { email: DEMO_EMAIL, password, apiKey };
}

async function requireEmpty(tx: Tx): Promise<void> {
  const [found] = await tx.$queryRaw<{ isEmpty: boolean }[]>`
    SELECT NOT EXISTS (SELECT FROM admin) AND NOT EXISTS (SELECT FROM domain) AND NOT EXISTS (SELECT FROM message)
       AND NOT EXISTS (SELECT FROM audit_entry) AS "isEmpty"`;
  if (!found?.isEmpty) {
    throw new NotEmptyError('This database already has content. The demo is seeded into an empty database only.');
  }
}

/** @returns the API key of the demo's admin */
async function fill(ctx: DemoContext, password: string): Promise<string> {
  const domains = await seedDomains(ctx);
  const mailboxes = await seedMailboxes(ctx, domains);
  const aliases = await seedAliases(ctx, domains, mailboxes);
  await limitDomains(ctx);
  await seedDns(ctx, domains);
  await seedReports(ctx, domains);
  await seedSieveFilters(ctx, domains, mailboxes);
  await seedTemplates(ctx, domains);
  const admins = await seedAdmins(ctx, domains, password);
  const { senders, demoKey } = await seedApiKeys(ctx, admins, domains);

  const count = scaled(ctx, MESSAGES);
  const incident = planIncident(ctx, mailboxes);
  const incoming = planIncoming(ctx, mailboxes, aliases, Math.round(count * INCOMING_SHARE));
  const newslettersAndInFlight = scaled(ctx, 640) + 31;
  const usual = Math.max(0, count - incoming.length - incident.length - newslettersAndInFlight);
  const outgoing = planOutgoing(ctx, { domains, mailboxes, admins, keys: senders }, usual);
  const messages = [...incoming, ...incident, ...outgoing];
  await insertMessages(ctx.tx, messages);
  await countSends(ctx.tx, ctx.now);
  await noteKeyUse(ctx, messages);

  const webhooks = await seedWebhooks(ctx, admins, domains);
  const events = await insertEvents(ctx, messages, ({ domainId, at }) =>
    webhooks.some((webhook) => isSubscribed(webhook, { type: 'mail.received.full', domainId, at })),
  );
  await seedDeliveries(ctx, webhooks, events);
  await seedAbuse(ctx, domains, mailboxes, webhooks);
  await seedSignIns(ctx, mailboxes);
  const deletions = domains[0] ? await seedDeleted(ctx, domains[0], admins) : [];
  await seedAudit(ctx, { admins, messages, deletions });
  await seedBackups(ctx);
  await seedSuppressions(ctx, domains, admins[0]?.id ?? '');
  if (domains[0] && admins[0]) await seedScheduled(ctx, domains[0], admins[0]);
  await seedHealth(ctx);
  return demoKey;
}
