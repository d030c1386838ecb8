import { MAX_TOTAL } from '@/lib/lists';
import { findTroubledSenders, getAnalytics, lastHours, MANY_UNDELIVERED } from '@/modules/analytics/service';
import { listApiKeys } from '@/modules/api-keys/service';
import type { Domain } from '@/modules/domains/schema';
import { countBrokenRecords, getDomain, listDomains } from '@/modules/domains/service';
import { listMailboxes } from '@/modules/mailboxes/service';
import { listMessages } from '@/modules/messages/service';
import { accessibleDomainIds, authorizeDomain } from '@/server/access/authorize';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import { mtaKind } from '@/server/settings/mta-kind';
import type { GetOverview, Overview } from './schema';

const HOURS = 24;
const LATEST_COUNT = 8;

export async function getOverview(ctx: ActorContext, { domain_id: domainId }: GetOverview): Promise<Overview> {
  // Before the calls that run side by side, whose errors for another's domain differ.
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const now = ctx.clock.now();
  const newest = { sort: 'created_at' as const, order: 'desc' as const };
  const [analytics, messages, sent, delivered, [domain], mailboxes, keys] = await Promise.all([
    getAnalytics(ctx, { ...lastHours(HOURS, now), domain_id: domainId, limit: 1 }),
    listMessages(ctx, { ...newest, limit: LATEST_COUNT, domain_id: domainId }),
    listMessages(ctx, { ...newest, limit: 1, direction: 'outbound', domain_id: domainId }),
    listMessages(ctx, { ...newest, limit: 1, direction: 'outbound', status: 'delivered', domain_id: domainId }),
    chosenDomain(ctx, domainId),
    listMailboxes(ctx, { ...newest, limit: 1, domain_id: domainId }),
    listApiKeys(ctx, { ...newest, limit: 1 }),
  ]);
  const { totals } = analytics;
  const isTroubled = totals.bounced + totals.failed >= MANY_UNDELIVERED;
  const senders = isTroubled ? await findTroubledSenders(ctx, { domainId, hours: HOURS }) : [];
  const since = new Date(analytics.start);
  return {
    since: analytics.start,
    until: now.toISOString(),
    totals,
    previous: analytics.previous.totals,
    troubled_senders: senders,
    failures: totals.failed > 0 ? await countFailures(ctx, { domainId, since, senders }) : [],
    series: analytics.series,
    checklist: {
      has_domain: domain !== undefined,
      has_mailbox: mailboxes.items.length > 0,
      has_api_key: keys.items.length > 0,
      has_sent: sent.items.length > 0,
      dns: domain ? await dnsOf(ctx, domain) : null,
    },
    mta: mtaKind(),
    last_delivered_at: delivered.items[0]?.created_at ?? null,
    latest: messages.items,
  };
}

/** The selected domain, or the one that was added last. Empty if there is none. */
async function chosenDomain(ctx: ActorContext, domainId: string | undefined): Promise<Domain[]> {
  if (domainId) return [await getDomain(ctx, { id: domainId })];
  return (await listDomains(ctx, { sort: 'created_at', order: 'desc', limit: 1 })).items;
}

async function dnsOf(
  ctx: ActorContext,
  { id, name, dns_status: status }: Domain,
): Promise<Overview['checklist']['dns']> {
  const broken = status === 'error' ? await countBrokenRecords(ctx, id) : 0;
  return { domain_id: id, domain: name, is_checked: status !== 'unchecked', broken };
}

type Options = { domainId: string | undefined; since: Date; senders: { sender: string }[] };

/** Counts failed messages, at most the newest 10,000, by the cause of the first recipient that failed and by these senders. */
function countFailures(
  { actor, db }: ActorContext,
  { domainId, since, senders }: Options,
): Promise<Overview['failures']> {
  const ids = domainId ? [domainId] : accessibleDomainIds(actor);
  const isWithin = ids ? Prisma.sql`domain_id = ANY(${ids}::uuid[])` : Prisma.sql`true`;
  return db.$queryRaw`
    SELECT CASE WHEN m.sender = ANY(${senders.map(({ sender }) => sender)}::text[]) THEN m.sender END AS sender,
           (SELECT r.cause FROM message_recipient r WHERE r.message_id = m.id AND r.status = 'failed'
             ORDER BY r.kind, r.id LIMIT 1) AS cause,
           count(*)::int AS count
      FROM (SELECT id, lower(from_address) AS sender FROM message
             WHERE direction = 'outbound' AND status = 'failed' AND created_at >= ${since} AND ${isWithin}
             ORDER BY created_at DESC, id DESC LIMIT ${MAX_TOTAL}) AS m
     GROUP BY 1, 2 ORDER BY 3 DESC, 2`;
}
