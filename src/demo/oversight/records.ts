import { listAdmins } from '@/modules/admins/service';
import { listAlerts } from '@/modules/alerts/service';
import { listAliases } from '@/modules/aliases/service';
import { listApiKeys } from '@/modules/api-keys/service';
import { listDkimKeys } from '@/modules/domains/dkim/service';
import { listDomains } from '@/modules/domains/service';
import { listMailboxes } from '@/modules/mailboxes/service';
import { listSieveFilters } from '@/modules/sieve-filters/service';
import { listWebhooks } from '@/modules/webhooks/service';
import type { Database } from '@/server/database/db';
import { type ActorContext, createContext } from '@/server/procedures/context';
import type { DemoContext } from '../demo-context';
import type { DemoAdmin } from '../directory/admins';

const NEWEST = { limit: 200, sort: 'created_at', order: 'desc' } as const;

export type Records = Awaited<ReturnType<typeof readRecords>>;

/** Seeded rows as API records, for the audit log. */
export async function readRecords(demo: DemoContext, viewer: DemoAdmin) {
  const ctx = contextOf(demo, viewer);
  const { items: domains } = await listDomains(ctx, NEWEST);
  const dkimKeys = [];
  for (const { id } of domains) {
    const { items } = await listDkimKeys(ctx, { id, ...NEWEST, status: 'pending' });
    dkimKeys.push(...items.map((key) => ({ domainId: id, key })));
  }
  return {
    domains,
    dkimKeys,
    mailboxes: (await listMailboxes(ctx, NEWEST)).items,
    aliases: (await listAliases(ctx, NEWEST)).items,
    admins: (await listAdmins(ctx, NEWEST)).items,
    apiKeys: (await listApiKeys(ctx, NEWEST)).items,
    webhooks: (await listWebhooks(ctx, NEWEST)).items,
    filters: (await listSieveFilters(ctx, NEWEST)).items,
    alerts: (await listAlerts(ctx, NEWEST)).items,
  };
}

/** An admin's context within the seeding transaction. */
export function contextOf({ tx, now }: DemoContext, admin: DemoAdmin): ActorContext {
  const { id, email, role, lastLoginAt } = admin;
  const actor = {
    admin: { id, email, role, totpEnabled: false, lastLoginAt },
    assignedDomainIds: [],
    session: null,
    key: null,
    writtenTo: null,
  };
  const context = createContext(new Request('http://localhost/'), { now: () => now });
  return { ...context, db: tx as Database, actor };
}
