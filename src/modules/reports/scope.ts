import { accessibleDomainIds, authorizeDomain } from '@/server/access/authorize';
import { notFound } from '@/server/errors';
import type { ActorContext } from '@/server/procedures/context';
import type { DroppedReports, DropReason, ReportFilters } from './schema';

export type OwnDomain = { id: string; name: string; dmarcPolicy: string | null };

/** @throws NOT_FOUND if the domain doesn't exist or is outside the caller's scope */
export async function requireReportedDomain({ db, actor }: ActorContext, id: string): Promise<OwnDomain> {
  const ids = accessibleDomainIds(actor);
  const where = { AND: [{ id }, ids ? { id: { in: ids } } : {}] };
  const domain = await db.domain.findFirst({ where, select: { id: true, name: true, dmarcPolicy: true } });
  if (!domain) throw notFound('domain');
  return domain;
}

/** The filters that both lists have. @throws as `authorizeDomain` */
export async function reportFilters(ctx: ActorContext, input: ReportFilters) {
  const { domain_id: domainId, organisation, since, until } = input;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  return { domainId, organisation, beginAt: { gte: since, lt: until } };
}

/** Returns the reports for the domain that were not stored, by reason. Reasons that last occurred before `since` are left out. */
export async function readDropped(
  { db }: ActorContext,
  { domainId, kind, since }: { domainId: string; kind: 'dmarc' | 'tls'; since: Date },
): Promise<DroppedReports> {
  const where = { domainId, kind, lastAt: { gte: since } };
  const rows = await db.droppedReport.findMany({ where, orderBy: { lastAt: 'desc' } });
  return rows.map(({ reason, count, lastAt }) => ({
    reason: reason as DropReason,
    count,
    last_at: lastAt.toISOString(),
  }));
}
