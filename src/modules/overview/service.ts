import { hasRole } from '@/lib/roles';
import { listApiKeys } from '@/modules/api-keys/service';
import { listDomains } from '@/modules/domains/service';
import { mailServerState } from '@/modules/mail-server/service';
import { countMessages, listMessages, totalsOf } from '@/modules/messages/service';
import { mtaKind } from '@/modules/sending/service';
import { countFailing } from '@/modules/webhooks/service';
import type { ActorContext } from '@/server/procedures/context';
import type { GetOverview, Overview } from './schema';

const DAY_MS = 24 * 60 * 60 * 1000;
const LATEST_COUNT = 8;

export async function getOverview(ctx: ActorContext, { domain_id: domainId }: GetOverview): Promise<Overview> {
  const until = ctx.clock.now();
  const since = new Date(until.getTime() - DAY_MS);
  const newest = { sort: 'created_at' as const, order: 'desc' as const };
  const [counts, messages, sent, domains, keys, failingWebhooks, agent] = await Promise.all([
    countMessages(ctx, { domainId, since }),
    listMessages(ctx, { ...newest, limit: LATEST_COUNT, domain_id: domainId }),
    listMessages(ctx, { ...newest, limit: 1, direction: 'outbound', domain_id: domainId }),
    listDomains(ctx, { ...newest, limit: 1 }),
    listApiKeys(ctx, { ...newest, limit: 1 }),
    countFailing(ctx, { domainId }),
    // Only admins can act on the mail server's state.
    hasRole(ctx.actor.admin.role, 'admin') ? mailServerState(ctx.db) : ('none' as const),
  ]);
  return {
    since: since.toISOString(),
    until: until.toISOString(),
    totals: totalsOf(counts),
    outbound: totalsOf(counts.filter(({ direction }) => direction === 'outbound')),
    checklist: {
      has_domain: domains.items.length > 0,
      has_api_key: keys.items.length > 0,
      has_sent: sent.items.length > 0,
    },
    failing_webhooks: failingWebhooks,
    mta: { kind: mtaKind(), agent },
    latest: messages.items,
  };
}
